#include "codegen/schedule/trace.h"

#include <array>
#include <nlohmann/json.hpp>

#include "base/cat.h"
#include "base/json_depth.h"

namespace hone::schedule {

using Json = nlohmann::ordered_json;

namespace {

// A schedule of a hundred steps has 10 kB.
constexpr size_t kTraceBytesMax = 1 << 20;

constexpr std::array<std::string_view, 21> kNames{"split",     "fuse",   "reorder",    "bind",          "unroll",
                                                  "vectorize", "inline", "compute_at", "cache_read",    "cache_write",
                                                  "scope",     "layout", "pad",        "double_buffer", "rfactor",
                                                  "precision", "sample", "variant",    "subgroup",      "scatter",
                                                  "scan"};

Step named(Primitive p, std::string stage, std::vector<std::string> names = {}, std::string option = "") {
  Step s;
  s.primitive = p;
  s.stage = std::move(stage);
  s.names = std::move(names);
  s.option = std::move(option);
  return s;
}

Json step_json(const Step& s) {
  Json out = Json::array({primitive_name(s.primitive), s.stage});
  for (const std::string& n : s.names) out.push_back(n);
  if (!s.factors.empty()) out.push_back(s.factors);
  // Where something follows an option, or it is known by its place, it stands there also when it is empty.
  const bool has_place = s.primitive == Primitive::kCacheRead || s.primitive == Primitive::kFuse;
  if (has_place || !s.option.empty()) out.push_back(s.option);
  if (s.primitive == Primitive::kCacheRead) {
    out.push_back(s.extra);
    out.push_back(s.by);
  }
  if (!s.decision.empty()) out.push_back("@" + s.decision);
  return out;
}

// How many of the strings after the stage are loop or stage names; -1: all but the last (an option), -2: all.
int name_count(Primitive p) {
  switch (p) {
    case Primitive::kSplit:
    case Primitive::kBind:
    case Primitive::kCacheRead:
    case Primitive::kUnroll:
    case Primitive::kVectorize:
    case Primitive::kRfactor:
      return 1;
    case Primitive::kComputeAt:
      return 2;
    case Primitive::kFuse:
      return -1;
    case Primitive::kReorder:
      return -2;
    case Primitive::kInline:
    case Primitive::kCacheWrite:
    case Primitive::kScope:
    case Primitive::kLayout:
    case Primitive::kPad:
    case Primitive::kDoubleBuffer:
    case Primitive::kPrecision:
    case Primitive::kSample:
    case Primitive::kVariant:
    case Primitive::kSubgroup:
    case Primitive::kScatter:
    case Primitive::kScan:
      return 0;
  }
  return 0;
}

bool parse_step(const nlohmann::json& j, Step* s) {
  if (!j.is_array() || j.size() < 2 || !j[0].is_string() || !j[1].is_string()) return false;
  size_t p = 0;
  while (p < kNames.size() && kNames[p] != j[0].get_ref<const std::string&>()) p++;
  if (p == kNames.size()) return false;
  s->primitive = static_cast<Primitive>(p);
  s->stage = j[1].get<std::string>();
  std::vector<std::string> words;
  for (size_t i = 2; i < j.size(); i++) {
    if (j[i].is_array()) {
      for (const nlohmann::json& f : j[i]) {
        if (!f.is_number_integer()) return false;
        s->factors.push_back(f.get<int64_t>());
      }
    } else if (j[i].is_string()) {
      std::string word = j[i].get<std::string>();
      if (!word.empty() && word[0] == '@') s->decision = word.substr(1);
      else words.push_back(std::move(word));
    } else {
      return false;
    }
  }
  int count = name_count(s->primitive);
  if (count == -2) count = static_cast<int>(words.size());
  if (count == -1) count = static_cast<int>(words.size()) - 1;
  if (count < 0 || count > static_cast<int>(words.size())) return false;
  s->names.assign(words.begin(), words.begin() + count);
  size_t next = count;
  if (next < words.size()) s->option = words[next++];
  if (s->primitive == Primitive::kCacheRead) {
    if (next < words.size()) s->extra = words[next++];
    if (next < words.size()) s->by = words[next++];
  }
  return next == words.size();
}

}  // namespace

std::string_view primitive_name(Primitive p) { return kNames[static_cast<size_t>(p)]; }

Step split(std::string stage, std::string loop, std::vector<int64_t> factors, std::string tail, std::string decision) {
  Step s = named(Primitive::kSplit, std::move(stage), {std::move(loop)}, std::move(tail));
  s.factors = std::move(factors);
  s.decision = std::move(decision);
  return s;
}
Step fuse(std::string stage, std::vector<std::string> loops, std::string name) {
  return named(Primitive::kFuse, std::move(stage), std::move(loops), std::move(name));
}
Step reorder(std::string stage, std::vector<std::string> loops) {
  return named(Primitive::kReorder, std::move(stage), std::move(loops));
}
Step bind(std::string stage, std::string loop, std::string place) {
  return named(Primitive::kBind, std::move(stage), {std::move(loop)}, std::move(place));
}
Step unroll(std::string stage, std::string loop) {
  return named(Primitive::kUnroll, std::move(stage), {std::move(loop)});
}
Step vectorize(std::string stage, std::string loop) {
  return named(Primitive::kVectorize, std::move(stage), {std::move(loop)});
}
Step inline_stage(std::string stage) { return named(Primitive::kInline, std::move(stage)); }
Step compute_at(std::string stage, std::string consumer, std::string loop) {
  return named(Primitive::kComputeAt, std::move(stage), {std::move(consumer), std::move(loop)});
}
Step cache_read(std::string tensor, std::string consumer, std::string scope, std::string name, std::string by) {
  Step s = named(Primitive::kCacheRead, std::move(tensor), {std::move(consumer)}, std::move(scope));
  s.extra = std::move(name);
  s.by = std::move(by);
  return s;
}
Step cache_write(std::string stage, std::string scope) {
  return named(Primitive::kCacheWrite, std::move(stage), {}, std::move(scope));
}
Step set_scope(std::string stage, std::string scope) {
  return named(Primitive::kScope, std::move(stage), {}, std::move(scope));
}
Step pad(std::string stage, int64_t elements) {
  Step s = named(Primitive::kPad, std::move(stage));
  s.factors = {elements};
  return s;
}
Step double_buffer(std::string stage) { return named(Primitive::kDoubleBuffer, std::move(stage)); }
Step precision(std::string stage, std::string dtype) {
  return named(Primitive::kPrecision, std::move(stage), {}, std::move(dtype));
}
Step sample(std::string stage) { return named(Primitive::kSample, std::move(stage)); }
Step subgroup(int64_t threads, std::string decision) {
  Step s = named(Primitive::kSubgroup, "");
  s.factors = {threads};
  s.decision = std::move(decision);
  return s;
}
Step variant(std::string stage, std::string name) {
  return named(Primitive::kVariant, std::move(stage), {}, std::move(name));
}
Step rfactor(std::string stage, std::string loop) {
  return named(Primitive::kRfactor, std::move(stage), {std::move(loop)});
}

Step scatter(std::string stage) { return named(Primitive::kScatter, std::move(stage)); }
Step scan(std::string stage) { return named(Primitive::kScan, std::move(stage)); }

std::string trace_to_json(const Trace& trace) {
  Json out{{"version", trace.version}, {"sketch", trace.sketch}, {"steps", Json::array()}};
  for (const Step& s : trace.steps) out["steps"].push_back(step_json(s));
  return out.dump();
}

Result<Trace> trace_from_json(std::string_view text) {
  if (text.size() > kTraceBytesMax || json_depth(text) > kJsonDepthMax)
    return Error{ErrorCode::kParseError, cat("a trace has at most ", kTraceBytesMax, " bytes and ", kJsonDepthMax,
                                             " levels; this one has ", text.size(), " and ", json_depth(text))};
  // Not ordered: that kind looks for each key among all before it.
  const auto j = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!j.is_object() || !j.contains("steps") || !j["steps"].is_array())
    return Error{ErrorCode::kParseError, "a trace must be a JSON object with \"steps\""};
  Trace trace;
  if (j.contains("version") && j["version"].is_number_integer()) trace.version = j["version"].get<int>();
  if (trace.version != 1)
    return Error{ErrorCode::kVersionMismatch,
                 cat("the trace has version ", trace.version, "; this hone reads version 1")};
  if (j.contains("sketch") && j["sketch"].is_string()) trace.sketch = j["sketch"].get<std::string>();
  for (const nlohmann::json& step : j["steps"]) {
    trace.steps.emplace_back();
    if (!parse_step(step, &trace.steps.back()))
      return Error{ErrorCode::kParseError,
                   cat("step ", trace.steps.size(), " of the trace is malformed: ", step.dump().substr(0, 120))};
  }
  return trace;
}

}  // namespace hone::schedule
