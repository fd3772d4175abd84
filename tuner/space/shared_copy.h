// A copy of an operand's tile that threads make together: its loops become one, of which each takes a part.
#pragma once
#include <cstdint>
#include <string>

#include "tuner/space/trace_builder.h"

namespace hone::tuner {

struct SharedCopy {
  std::string stage;   // attached, with a loop for each of its axes' levels
  int last = -1;       // the axis whose loops run innermost; -1: as they are
  std::string vector;  // the loop that becomes a vector; "": none
};

// The workgroup's threads take neighbouring pieces. Refuses what they share too unevenly.
void share_among_threads(TraceBuilder& t, const SharedCopy& copy, int64_t threads);
// A row's lanes take pieces in turns, which stay in their registers. Refuses what does not come out even.
void share_among_lanes(TraceBuilder& t, const SharedCopy& copy, int64_t lanes);

// How neighbouring threads come to a copy in workgroup memory: in its rows along axis `k` they read `rows` rows apart, `width` elements at once;
// in others they read side by side, and write in neighbouring rows.
struct BankUse {
  int k = -1;
  int64_t rows = 1, width = 1;
};

// Makes the rows a vector longer where such threads would meet one bank of the memory, and would not then.
void spread_over_banks(TraceBuilder& t, const std::string& stage, const BankUse& use);

}  // namespace hone::tuner
