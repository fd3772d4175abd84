// Machine: the few numbers of a device from which the time of a schedule is estimated before anything was measured. Measured by the agent where it
// measures them, else known by the class of the device; each with its source (machine.cc).
#pragma once
#include "codegen/target/target.h"

namespace hone::tuner {

// A machine that executes a launch's code statement by statement: a core, or a GPU that is software, which runs a subgroup as one vector. Its
// costs are in the time of one multiply-add of four lanes of a thread.
struct SerialMachine {
  double lanes = 1;          // threads that one instruction serves
  double lanes_of_vector = 4;  // of a thread's vector that one instruction serves; on cores the whole
  double vector_load = 1, scalar_load = 1, pick = 0;  // pick: an element out of a vector into all lanes, or one into a lane
  double whole = 0.25;       // an operation on a whole number or a condition, of one lane
  double selection = 0.25;   // between a number and zero
  double loop = 1;           // an iteration
  double barrier = 0;        // of a thread
  double thread = 0, workgroup = 0;  // of each more; on cores a tile, and an iteration of the parallel loop
  double line = 0;           // 64 bytes from the second cache to the first
  double cache_bytes = 0, cache_ways = 1;  // of the first
  double page = 0;           // to translate the address of a page that is none of the last ones
  double pages_kept = 0;     // of which addresses are translated at once
  double vectors_max = 1e9;  // that registers hold; the others are stored and loaded at each use
  double multiply_adds_per_us = 2000;  // of four lanes, of the whole machine
};
SerialMachine serial_machine(const target::Target& target);

// Sizes enter estimates as real numbers.
inline double of(int64_t size) { return static_cast<double>(size); }

// Does the target run threads side by side, and hide one's waiting behind another's work? Else it is a serial machine.
bool runs_side_by_side(const target::Target& target);
// A GPU that tells no subgroups: it may be either. No rate of arithmetic parts the two: software on many cores computes more than a phone.
bool is_unknown(const target::Target& target);
// So many copies of loops a device's compiler makes a kernel of, before its page or its watchdog takes the device for dead.
int64_t copied_loops_max(const target::Target& target);
// Threads of such a target's subgroup: as told, else the usual 32 (NVIDIA, Apple, AMD).
double subgroup_of(const target::Target& target);

}  // namespace hone::tuner
