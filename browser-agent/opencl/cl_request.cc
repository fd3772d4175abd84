#include "browser-agent/opencl/cl_request.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace hone::agent {
namespace {

using native::done;
using native::find;
using native::PipeFrame;
using native::SteadyClock;
using nlohmann::json;

constexpr int64_t kClRepeatsMax = 1'000'000'000;
constexpr int kClCopiesMax = 1024;
constexpr int kClLost = 3;  // the process's exit code

}  // namespace

PipeFrame ClRequests::answer(const PipeFrame& request) {
  return native::answered([&]() -> Answer {
    Answer answer = handle(request);
    if (answer.ok() || answer.error().code != ErrorCode::kDeviceLost) return answer;
    std::fprintf(stderr, "%s\n", answer.error().message.c_str());
    _exit(kClLost);
  });
}

ClRequests::Answer ClRequests::handle(const PipeFrame& request) {
  const json& header = request.header;
  const auto what = header.at("do").get<std::string>();
  const auto erase = [&](auto& map, const char* name) { return map.erase(header.at(name).get<int64_t>()), done(); };
  if (what == "hello") return done(description_);
  if (what == "make") return make(header);
  if (what == "free") return erase(buffers_, "buffer");
  if (what == "write") return write(request);
  if (what == "poison") return poison(header);
  if (what == "copies") return copies(header);
  if (what == "read") return read(header);
  if (what == "build") return build(request);
  if (what == "drop") return erase(kernels_, "kernel");
  if (what == "bind") return bind(header);
  if (what == "turns") return turns(header);
  if (what == "unbind") return erase(programs_, "program");
  if (what == "run") return run(header);
  if (what == "settle") return settle(header);
  if (what == "inspect") return inspect(header);
  if (what != "reference") return Error{ErrorCode::kProtocolError, cat("the runner does not know the request ", what)};
  HONE_ASSIGN(ns, reference_.run_ns(std::clamp(header.at("runs").get<int>(), 1, 1000)));
  return done({{"ns", ns}});
}

ClRequests::Answer ClRequests::make(const json& header) {
  HONE_ASSIGN(buffer, ClBuffer::make(device_, header.at("bytes").get<int64_t>(), header.at("word").get<uint32_t>()));
  buffers_[next_id_] = std::move(buffer);
  return done({{"buffer", next_id_++}});
}

ClRequests::Answer ClRequests::write(const PipeFrame& request) {
  HONE_ASSIGN(buffer, find(buffers_, request.header.at("buffer"), "buffer"));
  HONE_TRY((*buffer)->write(request.payload));
  return done();
}

ClRequests::Answer ClRequests::poison(const json& header) {
  HONE_ASSIGN(buffer, find(buffers_, header.at("buffer"), "buffer"));
  HONE_TRY((*buffer)->fill(header.at("word").get<uint32_t>()));
  return done();
}

ClRequests::Answer ClRequests::copies(const json& header) {
  HONE_ASSIGN(found, find(buffers_, header.at("buffer"), "buffer"));
  const std::shared_ptr<ClBuffer> source = *found;
  const int count = std::clamp(header.at("count").get<int>(), 1, kClCopiesMax);
  std::vector<std::shared_ptr<ClBuffer>> made;  // all or none is kept: of some nobody would know the ids
  for (int i = 0; i < count; i++) {
    HONE_ASSIGN(copy, source->copy());
    made.push_back(std::move(copy));
  }
  HONE_TRY(device_.finish());
  const int64_t first = next_id_;
  for (std::shared_ptr<ClBuffer>& copy : made) buffers_[next_id_++] = std::move(copy);
  return done({{"first", first}});
}

ClRequests::Answer ClRequests::read(const json& header) {
  HONE_ASSIGN(buffer, find(buffers_, header.at("buffer"), "buffer"));
  PipeFrame out = done();
  HONE_ASSIGN(content, (*buffer)->read(header.at("bytes").get<int64_t>()));
  out.payload = std::move(content);
  return out;
}

ClRequests::Answer ClRequests::build(const PipeFrame& request) {
  const auto started = SteadyClock::now();
  HONE_ASSIGN(program, ClProgram::build(device_, request.payload));
  kernels_[next_id_] = std::move(program);
  return done({{"kernel", next_id_++}, {"bindings", json::array()}, {"ns", native::ns(SteadyClock::now() - started)}});
}

ClRequests::Answer ClRequests::bind(const json& header) {
  Program program;
  HONE_TRY(add_launches(header.at("calls"), program.row));
  program.of_run = program.row.size();
  programs_[next_id_] = std::move(program);
  return done({{"program", next_id_++}});
}

// Scratch buffers are the agent's, so it says itself which are the same.
ClRequests::Answer ClRequests::turns(const json& header) {
  Program program;
  for (const json& calls : header.at("rows")) {
    program.of_run = calls.size();
    HONE_TRY(add_launches(calls, program.row));
  }
  if (program.of_run == 0 || program.row.size() != program.of_run * header.at("rows").size())
    return Error{ErrorCode::kInvalidArgument, "turns need a row at least, and rows of as many launches"};
  programs_[next_id_] = std::move(program);
  return done({{"program", next_id_++}});
}

Status ClRequests::add_launches(const json& calls, ClRow& row) {
  for (const json& call : calls) {
    HONE_ASSIGN(launch, launch_of(call));
    row.push_back(std::move(launch));
  }
  return ok_status();
}

Result<std::unique_ptr<ClLaunch>> ClRequests::launch_of(const json& call) {
  HONE_ASSIGN(program, find(kernels_, call.at("kernel"), "kernel"));
  const json &ids = call.at("buffers"), &writes = call.at("writes"), &bytes = call.at("bytes");
  if (ids.size() != writes.size() || ids.size() != bytes.size())
    return Error{ErrorCode::kValidationError,
                 cat("a launch binds ", ids.size(), " buffers, and its kernel has ", writes.size(), " bindings")};
  std::vector<ClBinding> bindings;
  for (size_t i = 0; i < ids.size(); i++) {
    HONE_ASSIGN(buffer, find(buffers_, ids[i], "buffer"));
    bindings.push_back({*buffer, writes[i].get<bool>(), bytes[i].get<int64_t>()});
  }
  return ClLaunch::create(device_, *program, std::move(bindings), call.at("grid").get<std::vector<int64_t>>());
}

ClRequests::Answer ClRequests::run(const json& header) {
  HONE_ASSIGN(program, find(programs_, header.at("program"), "program"));
  Program& one = *program;
  const int64_t repeats = std::clamp<int64_t>(header.at("repeats").get<int64_t>(), 1, kClRepeatsMax);
  const int64_t launches = repeats * static_cast<int64_t>(one.of_run);
  const size_t first = one.next;
  one.next = one.row.empty() ? 0 : (first + static_cast<size_t>(launches)) % one.row.size();
  HONE_ASSIGN(ns, run_ns(device_, one.row, first, launches));
  return done({{"ns", ns}});
}

ClRequests::Answer ClRequests::settle(const json& header) {
  HONE_ASSIGN(program, find(programs_, header.at("program"), "program"));
  const auto started = SteadyClock::now();
  for (const auto& launch : program->row) {
    HONE_TRY(launch->enqueue_group());
    HONE_TRY(device_.finish());  // so that its error is its own
  }
  return done({{"ns", native::ns(SteadyClock::now() - started)}});
}

ClRequests::Answer ClRequests::inspect(const json& header) {
  HONE_ASSIGN(program, find(programs_, header.at("program"), "program"));
  std::string finding;
  for (size_t c = 0; c < program->row.size(); c++) {
    const std::vector<ClBinding>& bindings = program->row[c]->bindings();
    for (size_t i = 0; i < bindings.size(); i++) {
      if (!bindings[i].writes) continue;
      HONE_ASSIGN(whole, bindings[i].buffer->mend_slack());
      if (!whole) finding += cat(finding.empty() ? "" : ", ", "wrote beside buffer ", i, " of call ", c);
    }
  }
  return done({{"finding", finding}});
}

}  // namespace hone::agent
