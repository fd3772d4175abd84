// Frames between the agent (src/device/native) and its runner, on the runner's stdin and stdout:
//   u32 header bytes, u32 payload bytes (little-endian), the header as JSON, the payload.
// One request at a time, each with one answer, in order. A request names what is to be done; ids are the runner's:
//
//   do         fields                             payload        answer
//   hello                                                        what host_description.h says, threads, clock_step_ns
//   make       bytes, word                                       buffer: its id. It is filled with the word
//   free       buffer
//   write      buffer                             its content
//   poison     buffer, word
//   copies     buffer, count                                     first: the id of the first copy of it; the others follow
//   read       buffer, bytes                                     payload: its first bytes
//   build      -                                  the IR's text  kernel: its id; bindings: [{position, writes, bytes}]; ns: what that took
//   drop       kernel
//   bind       calls: [{kernel, buffers: [id…]}]                 program: its id. buffers: one per binding of the kernel
//   turns      program, rows: [calls], same_scratch              program: its id. Each run of it takes the next row: like `program`, on other
//                                                                buffers, and on other scratch memory unless it is the same. It ends before `program`
//   unbind     program
//   run        program, repeats                                  ns: of all repeats, by the runner's steady clock
//   settle     program                                           ns: of one run, warm and on the threads that suit it
//   inspect    program                                           finding: what it wrote beside its buffers, "" for nothing
//   reference  runs                                              ns: of the fastest run of the runner's own small kernel
//
// An answer's header is {"ok": true, …} or {"ok": false, "outcome": a name of schema/errors.json, "message"}. Bytes that are no
// frame end the runner; so does the end of its input, whatever it computes.
#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "base/result.h"

namespace hone::native {

inline constexpr size_t kHeaderBytesMax = 16 << 20;
inline constexpr size_t kPayloadBytesMax = size_t{1} << 31;

struct PipeFrame {
  nlohmann::json header;
  std::string payload;
};

// Blocks. Nothing at the end of the stream between two frames. Fails: protocol_error for what is no frame; io_error.
Result<std::optional<PipeFrame>> read_frame(int descriptor);
// Blocks until all is written. Fails: io_error.
Status write_frame(int descriptor, const PipeFrame& frame);

}  // namespace hone::native
