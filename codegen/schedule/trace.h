// Trace: a schedule as a list of primitive calls that can be replayed, stored as JSON, compared and mutated. Tuner, records and packages
// know only traces. JSON: {"version":1,"sketch":"…","steps":[["split","C","n",[2,8,4],"guard"],…]}; a last element "@key" names the
// decision behind the step. docs/schedule.md gives each primitive's legality and effect.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace hone::schedule {

enum class Primitive : uint8_t {
  kSplit,       // stage x [f…] tail      names={x} factors=inner extents option=tail (guard|peel|shift|pad)
  kFuse,        // stage x y… name        names={x, y…} option=name of the fused loop
  kReorder,     // stage x…               names={x…}
  kBind,        // stage x place          names={x} option=place
  kUnroll,      // stage x                names={x}
  kVectorize,   // stage x                names={x}
  kInline,      // stage
  kComputeAt,   // stage consumer x       names={consumer, x}
  kCacheRead,   // tensor consumer scope name by   stage=tensor names={consumer} option=scope extra=name by=iter|elem
  kCacheWrite,  // stage scope            option=scope   (makes stage "S.acc")
  kScope,       // stage scope            option=scope
  kLayout,  // tensor dims [layers]   factors = flattened (axis, div, size) triples, outermost first; option: how many are layers
  kPad,           // stage [elements]       factors={elements}
  kDoubleBuffer,  // stage
  kRfactor,       // stage x                names={x}   (makes stage "S.rf")
  kPrecision,     // stage dtype            option=dtype
  kSample,        // stage
  kVariant,       // stage name             option=name
  kSubgroup,      // "" [threads]           factors={threads}
  kScatter,       // stage
  kScan,          // stage
};
std::string_view primitive_name(Primitive primitive);

struct Step {
  Primitive primitive = Primitive::kSplit;
  std::string stage;
  std::vector<std::string> names;
  std::vector<int64_t> factors;
  std::string option;
  std::string extra;     // kCacheRead: name of the new stage
  std::string by;        // kCacheRead: "iter" or "elem"
  std::string decision;  // key of the choice behind the values, "" if none
  friend bool operator==(const Step&, const Step&) = default;
};

struct Trace {
  int version = 1;
  std::string sketch;  // the rules that fired, for people
  std::vector<Step> steps;
  friend bool operator==(const Trace&, const Trace&) = default;
};

// Terse constructors: split("C", "n", {2, 8, 4}).
Step split(std::string stage, std::string loop, std::vector<int64_t> factors, std::string tail = "guard",
           std::string decision = "");
Step fuse(std::string stage, std::vector<std::string> loops, std::string name);
Step reorder(std::string stage, std::vector<std::string> loops);
Step bind(std::string stage, std::string loop, std::string place);
Step unroll(std::string stage, std::string loop);
Step vectorize(std::string stage, std::string loop);
Step inline_stage(std::string stage);
Step precision(std::string stage, std::string dtype);
Step sample(std::string stage);
Step subgroup(int64_t threads, std::string decision = "");
Step variant(std::string stage, std::string name);
Step compute_at(std::string stage, std::string consumer, std::string loop);
Step cache_read(std::string tensor, std::string consumer, std::string scope, std::string name, std::string by = "iter");
Step cache_write(std::string stage, std::string scope);
Step set_scope(std::string stage, std::string scope);
Step pad(std::string stage, int64_t elements);
Step double_buffer(std::string stage);
Step rfactor(std::string stage, std::string loop);
Step scatter(std::string stage);
Step scan(std::string stage);

std::string trace_to_json(const Trace& trace);         // one line, keys in a fixed order
Result<Trace> trace_from_json(std::string_view text);  // parse_error with the step's number

}  // namespace hone::schedule
