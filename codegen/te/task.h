// Task: the unit of tuning. A fused tensor program with the layouts and roles of its arguments and the accuracy it owes, and other programs for the
// same result.
#pragma once
#include "base/hash.h"
#include "codegen/te/program.h"

namespace hone::te {

enum class Role : uint8_t { kActivation, kConstant, kOutput };

// An argument of the task (program.inputs then program.outputs). A constant's layout is free: the schedule may repack it ahead of time.
struct Arg {
  Role role = Role::kActivation;
  ir::Layout layout;  // how the caller hands it over
  bool free = false;  // the schedule may choose another layout; the caller then converts, or has packed ahead
};

// The bound that each element of a candidate's output must keep: |y − r| ≤ (base + per_sqrt_k·√K)·min(max|r|, 8·max(|r|, median|r|)), K = the longest
// reduction (browser-agent/runtime/tensor_check.h).
struct Accuracy {
  double base = 1e-5;
  double per_sqrt_k = 1e-6;
  int64_t reduction_length = 1;
  double tolerance() const;  // relative to the reference's range
};

struct Task {
  std::string name;  // for people: "conv 1x64x56x56 64x64x3x3 s1 p1 + relu"; no part of the id
  Program program;
  std::vector<Arg> args;  // inputs then outputs
  // A schedule may choose one by its name. They are no part of the id, which says what is computed and not how; whoever makes the task again from
  // the same operators has the same ones.
  std::vector<Alternative> alternatives;
  Accuracy accuracy;
  double flops = 0;  // 2 per multiply-accumulate of the definition
  Hash
      id;  // structure, extents, dtypes, roles, layouts, and an accuracy other than the usual; not names. Set by finish_task
};

// Fills accuracy.reduction_length, flops and id from the program.
void finish_task(Task& task);
// The task may err by `tolerance`, relative to its result's range, if that is more than usual; another task then, with records of its own.
void loosen(Task& task, double tolerance);
// A canonical text of everything the id covers.
std::string canonical_text(const Task& task);

}  // namespace hone::te
