#include "browser-agent/native/request.h"

#include <algorithm>
#include <cstring>

#include "base/cat.h"
#include "browser-agent/native/load_kernel.h"
#include "browser-agent/native/reference_kernel.h"

namespace hone::native {
namespace {

using nlohmann::json;

constexpr int kRepeatsMax = 1'000'000'000;
constexpr int kCopiesMax = 1024;

}  // namespace

PipeFrame Requests::answer(const PipeFrame& request) {
  return answered([&] { return handle(request); });
}

Answer Requests::handle(const PipeFrame& request) {
  const json& header = request.header;
  const auto what = header.at("do").get<std::string>();
  if (what == "hello") return hello();
  if (what == "make") return make(header);
  if (what == "free") return free(header);
  if (what == "write") return write(request);
  if (what == "poison") return poison(header);
  if (what == "copies") return copies(header);
  if (what == "read") return read(header);
  if (what == "build") return build(request);
  if (what == "drop") return drop(header);
  if (what == "bind") return bind(header);
  if (what == "turns") return turns(header);
  if (what == "unbind") return unbind(header);
  if (what == "run") return run(header);
  if (what == "settle") return settle(header);
  if (what == "inspect") return inspect(header);
  if (what == "reference") return reference(header);
  return Error{ErrorCode::kProtocolError, cat("the runner does not know the request ", what)};
}

Answer Requests::hello() {
  json all = host_;
  all["threads"] = team_.threads();
  all["clock_step_ns"] = clock_step_ns();
  return done(std::move(all));
}

Answer Requests::make(const json& header) {
  HONE_ASSIGN(block, GuardedBlock::make(header.at("bytes").get<int64_t>()));
  block->open();
  block->fill(header.at("word").get<uint32_t>());
  block->close();
  blocks_[next_id_] = std::move(block);
  return done({{"buffer", next_id_++}});
}

Answer Requests::free(const json& header) {
  blocks_.erase(header.at("buffer").get<int64_t>());
  return done();
}

Answer Requests::write(const PipeFrame& request) {
  HONE_ASSIGN(found, find(blocks_, request.header.at("buffer"), "buffer"));
  GuardedBlock& block = **found;
  if (static_cast<int64_t>(request.payload.size()) > block.bytes())
    return Error{ErrorCode::kInvalidArgument,
                 cat(request.payload.size(), " bytes do not fit a buffer of ", block.bytes())};
  block.open();
  std::memcpy(block.data(), request.payload.data(), request.payload.size());
  block.close();
  return done();
}

Answer Requests::poison(const json& header) {
  HONE_ASSIGN(found, find(blocks_, header.at("buffer"), "buffer"));
  (*found)->open();
  (*found)->fill(header.at("word").get<uint32_t>());
  (*found)->close();
  return done();
}

Answer Requests::copies(const json& header) {
  HONE_ASSIGN(found, find(blocks_, header.at("buffer"), "buffer"));
  const BlockPtr source = *found;
  const int count = std::clamp(header.at("count").get<int>(), 1, kCopiesMax);
  std::vector<BlockPtr> made;  // all or none is kept: of some nobody would know the ids
  for (int i = 0; i < count; ++i) {
    HONE_ASSIGN(block, GuardedBlock::make(source->bytes()));
    block->open();
    std::memcpy(block->data(), source->data(), static_cast<size_t>(source->bytes()));
    block->close();
    made.push_back(std::move(block));
  }
  const int64_t first = next_id_;
  for (BlockPtr& block : made) blocks_[next_id_++] = std::move(block);
  return done({{"first", first}});
}

Answer Requests::read(const json& header) {
  HONE_ASSIGN(found, find(blocks_, header.at("buffer"), "buffer"));
  const auto bytes = header.at("bytes").get<int64_t>();
  if (bytes < 0 || bytes > (*found)->bytes())
    return Error{ErrorCode::kInvalidArgument, cat("a buffer of ", (*found)->bytes(), " bytes has no ", bytes)};
  PipeFrame out = done();
  out.payload.assign(reinterpret_cast<const char*>((*found)->data()), static_cast<size_t>(bytes));
  return out;
}

Answer Requests::build(const PipeFrame& request) {
  const auto started = SteadyClock::now();
  HONE_ASSIGN(kernel, load_kernel(request.payload));
  json bindings = json::array();
  for (const emit::Binding& b : kernel->arguments())
    bindings.push_back({{"position", b.position}, {"writes", b.writes}, {"bytes", b.bytes}});
  kernels_[next_id_] = std::move(kernel);
  return done({{"kernel", next_id_++}, {"bindings", std::move(bindings)}, {"ns", ns(SteadyClock::now() - started)}});
}

Answer Requests::drop(const json& header) {
  kernels_.erase(header.at("kernel").get<int64_t>());
  return done();
}

Result<Call> Requests::call_of(const json& one) {
  HONE_ASSIGN(kernel, find(kernels_, one.at("kernel"), "kernel"));
  Call call{*kernel, {}};
  for (const json& id : one.at("buffers")) {
    HONE_ASSIGN(block, find(blocks_, id, "buffer"));
    call.buffers.push_back(*block);
  }
  return call;
}

Result<std::vector<Call>> Requests::calls_of(const json& all) {
  std::vector<Call> calls;
  for (const json& one : all) {
    HONE_ASSIGN(call, call_of(one));
    calls.push_back(std::move(call));
  }
  return calls;
}

Answer Requests::bind(const json& header) {
  HONE_ASSIGN(calls, calls_of(header.at("calls")));
  HONE_ASSIGN(program, Program::bind(std::move(calls), team_));
  programs_[next_id_] = std::move(program);
  return done({{"program", next_id_++}});
}

Answer Requests::turns(const json& header) {
  HONE_ASSIGN(program, find(programs_, header.at("program"), "program"));
  Turns turns;
  for (const json& row : header.at("rows")) {
    HONE_ASSIGN(calls, calls_of(row));
    HONE_ASSIGN(bound, Program::bind_like(**program, std::move(calls), header.at("same_scratch").get<bool>()));
    turns.rows.push_back(std::move(bound));
  }
  if (turns.rows.empty()) return Error{ErrorCode::kInvalidArgument, "turns need a row at least"};
  turns_[next_id_] = std::move(turns);
  return done({{"program", next_id_++}});
}

Answer Requests::unbind(const json& header) {
  turns_.erase(header.at("program").get<int64_t>());
  programs_.erase(header.at("program").get<int64_t>());
  return done();
}

Answer Requests::run(const json& header) {
  const int repeats = std::clamp(header.at("repeats").get<int>(), 1, kRepeatsMax);
  if (const auto in_turns = turns_.find(header.at("program").get<int64_t>()); in_turns != turns_.end()) {
    Turns& turns = in_turns->second;
    const size_t first = turns.next;
    turns.next = (first + static_cast<size_t>(repeats)) % turns.rows.size();
    return done({{"ns", Program::run_in_turns_ns(turns.rows, first, repeats)}});
  }
  HONE_ASSIGN(program, find(programs_, header.at("program"), "program"));
  return done({{"ns", (*program)->run_ns(repeats)}});
}

Answer Requests::settle(const json& header) {
  HONE_ASSIGN(program, find(programs_, header.at("program"), "program"));
  return done({{"ns", (*program)->settle_ns()}});
}

Answer Requests::inspect(const json& header) {
  HONE_ASSIGN(program, find(programs_, header.at("program"), "program"));
  return done({{"finding", (*program)->inspect()}});
}

Answer Requests::reference(const json& header) {
  return done({{"ns", reference_ns(team_, std::clamp(header.at("runs").get<int>(), 1, 1000))}});
}

}  // namespace hone::native
