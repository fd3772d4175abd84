#include "browser-agent/opengl/gl_request.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace hone::agent {
namespace {

using native::Answer;
using native::done;
using native::find;
using native::PipeFrame;
using native::SteadyClock;
using nlohmann::json;

constexpr int64_t kRepeatsMax = 1'000'000'000;
constexpr int kCopiesMax = 1024;
constexpr int kLost = 3;  // the process's exit code

Error misfit(std::string message) { return {ErrorCode::kValidationError, std::move(message)}; }

// As the constructor of GlTexture has it.
Result<std::string_view> element_of(const std::string& format) {
  if (format == "rgba32f") return std::string_view("vec4");
  if (format == "rgba16f") return std::string_view("f16vec4");
  if (format == "rgba32i") return std::string_view("ivec4");
  if (format == "rgba32ui") return std::string_view("uvec4");
  return misfit(cat("a texture has the format ", format, "; this agent knows rgba32f, rgba16f, rgba32i and rgba32ui"));
}

Result<ir::Texture> shape_of(const json& texture, const target::Limits& limits) {
  const auto size = [&](const char* name) { return texture.at(name).get<int64_t>(); };
  const ir::Texture shape{size("width"), size("height"), size("layers")};
  const auto [least, most] = std::minmax(shape.width, shape.height);
  if (least >= 1 && most <= limits.texture_size_max && shape.layers >= 1 && shape.layers <= limits.texture_layers_max)
    return shape;
  return misfit(cat("a texture of ", shape.width, "×", shape.height, ", ", shape.layers,
                    " layers, is beyond the device's ", limits.texture_size_max, "×", limits.texture_size_max, ", ",
                    limits.texture_layers_max, " layers"));
}

}  // namespace

PipeFrame GlRequests::answer(const PipeFrame& request) {
  return native::answered([&]() -> Answer {
    Answer answer = handle(request);
    const Status checked = device_.check();
    if (!checked.ok() && checked.error().code == ErrorCode::kDeviceLost) {
      std::fprintf(stderr, "%s\n", checked.error().message.c_str());
      _exit(kLost);
    }
    return answer.ok() && !checked.ok() ? Answer(checked.error()) : std::move(answer);
  });
}

Answer GlRequests::handle(const PipeFrame& request) {
  const json& header = request.header;
  const auto what = header.at("do").get<std::string>();
  const auto erase = [&](auto& map, const char* name) { return map.erase(header.at(name).get<int64_t>()), done(); };
  if (what == "hello") return hello();
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
  if (what == "inspect") return done({{"finding", ""}});
  if (what == "reference") return done({{"ns", reference_.work_ns(std::clamp(header.at("runs").get<int>(), 1, 1000))}});
  return Error{ErrorCode::kProtocolError, cat("the runner does not know the request ", what)};
}

Answer GlRequests::hello() const {
  json all = description_;
  all["clock_step_ns"] = native::clock_step_ns();
  return done(std::move(all));
}

Answer GlRequests::make(const json& header) {
  if (!header.contains("texture"))
    return misfit("a buffer is asked for without its texture; kernels of OpenGL need one");
  const json& texture = header["texture"];
  HONE_ASSIGN(element, element_of(texture.at("format").get<std::string>()));
  HONE_ASSIGN(shape, shape_of(texture, device_.target().limits));
  const auto bytes = header.at("bytes").get<int64_t>();
  const int64_t bytes_max =
      (shape.texels() * emit::texel_bytes(emit::texel_type(element)) + 15) / 16 * 16;  // buffers are whole 16 bytes
  if (bytes > bytes_max) return misfit(cat("a texture of ", bytes_max, " bytes is bound to a buffer of ", bytes));
  Buffer buffer{std::make_shared<GlTexture>(shape, element), header.value("word", uint32_t{0})};
  HONE_TRY(device_.check());
  if (header.contains("word")) buffer.texture->write("", buffer.word);
  HONE_TRY(device_.check());
  buffers_[next_id_] = std::move(buffer);
  return done({{"buffer", next_id_++}});
}

Answer GlRequests::write(const PipeFrame& request) {
  HONE_ASSIGN(buffer, find(buffers_, request.header.at("buffer"), "buffer"));
  const auto& [texture, word] = *buffer;
  if (static_cast<int64_t>(request.payload.size()) > texture->bytes())
    return Error{ErrorCode::kInvalidArgument,
                 cat(request.payload.size(), " bytes do not fit a texture of ", texture->bytes())};
  texture->write(request.payload, word ^ 1);
  return done();
}

Answer GlRequests::poison(const json& header) {
  HONE_ASSIGN(buffer, find(buffers_, header.at("buffer"), "buffer"));
  buffer->texture->write("", header.at("word").get<uint32_t>());
  return done();
}

Answer GlRequests::copies(const json& header) {
  HONE_ASSIGN(found, find(buffers_, header.at("buffer"), "buffer"));
  const Buffer source = *found;
  const int count = std::clamp(header.at("count").get<int>(), 1, kCopiesMax);
  std::vector<Buffer> made;  // all or none is kept: of some nobody would know the ids
  for (int i = 0; i < count; i++) {
    made.push_back({source.texture->copy(), source.word});
    HONE_TRY(device_.check());
  }
  const int64_t first = next_id_;
  for (Buffer& copy : made) buffers_[next_id_++] = std::move(copy);
  return done({{"first", first}});
}

Answer GlRequests::read(const json& header) {
  HONE_ASSIGN(buffer, find(buffers_, header.at("buffer"), "buffer"));
  const auto bytes = header.at("bytes").get<int64_t>();
  PipeFrame out = done();
  out.payload = buffer->texture->read();
  if (bytes < 0 || bytes > static_cast<int64_t>(out.payload.size()))
    return Error{ErrorCode::kInvalidArgument, cat("a texture of ", out.payload.size(), " bytes has no ", bytes)};
  out.payload.resize(static_cast<size_t>(bytes));
  return out;
}

Answer GlRequests::build(const PipeFrame& request) {
  const auto started = SteadyClock::now();
  HONE_ASSIGN(program, GlProgram::link(request.payload));
  kernels_[next_id_] = std::move(program);
  return done({{"kernel", next_id_++}, {"bindings", json::array()}, {"ns", native::ns(SteadyClock::now() - started)}});
}

Answer GlRequests::bind(const json& header) {
  Program program;
  for (const json& call : header.at("calls")) HONE_TRY(add(call, program));
  program.of_run = program.draws.size();
  programs_[next_id_] = std::move(program);
  return done({{"program", next_id_++}});
}

// Scratch textures are the agent's, so it says itself which are the same.
Answer GlRequests::turns(const json& header) {
  const json& rows = header.at("rows");
  Program program;
  for (const json& calls : rows) {
    program.of_run = calls.size();
    for (const json& call : calls) HONE_TRY(add(call, program));
  }
  if (program.of_run == 0 || program.draws.size() != program.of_run * rows.size())
    return Error{ErrorCode::kInvalidArgument, "turns need a row at least, and rows of as many launches"};
  programs_[next_id_] = std::move(program);
  return done({{"program", next_id_++}});
}

Status GlRequests::add(const json& call, Program& program) {
  HONE_ASSIGN(kernel, find(kernels_, call.at("kernel"), "kernel"));
  const json &ids = call.at("buffers"), &writes = call.at("writes"), &grid = call.at("grid");
  if (ids.size() != writes.size())
    return misfit(cat("a launch binds ", ids.size(), " buffers, and its kernel has ", writes.size(), " bindings"));
  std::vector<GlBinding> bindings;
  for (size_t i = 0; i < ids.size(); i++) {
    HONE_ASSIGN(buffer, find(buffers_, ids[i], "buffer"));
    program.textures.push_back(buffer->texture);
    bindings.push_back({buffer->texture.get(), writes[i].get<bool>()});
  }
  HONE_ASSIGN(draw,
              GlDraw::create(*kernel, std::move(bindings), {grid.at(0).get<int64_t>(), grid.at(1).get<int64_t>(), 1}));
  program.draws.push_back(std::move(draw));
  return ok_status();
}

Answer GlRequests::run(const json& header) {
  HONE_ASSIGN(program, find(programs_, header.at("program"), "program"));
  const Row& draws = program->draws;
  const int64_t repeats = std::clamp<int64_t>(header.at("repeats").get<int64_t>(), 1, kRepeatsMax);
  device_.finish();  // uploads
  const auto started = SteadyClock::now();
  for (int64_t i = 0; i < repeats; i++) {
    for (size_t d = 0; d < program->of_run; d++) draws[program->next + d]->run(i);
    program->next = (program->next + program->of_run) % std::max<size_t>(1, draws.size());
  }
  device_.finish();
  return done({{"ns", native::ns(SteadyClock::now() - started)}});
}

Answer GlRequests::settle(const json& header) {
  HONE_ASSIGN(program, find(programs_, header.at("program"), "program"));
  const auto started = SteadyClock::now();
  for (const auto& draw : program->draws) draw->run_fragment();
  device_.finish();
  return done({{"ns", native::ns(SteadyClock::now() - started)}});
}

}  // namespace hone::agent
