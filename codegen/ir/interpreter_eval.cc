#include "codegen/ir/interpreter_eval.h"

#include <cmath>

#include "base/cat.h"
#include "base/check.h"

namespace hone::ir {
namespace {

double float_op(ExprKind kind, double a, double b) {
  switch (kind) {
    case ExprKind::kAdd: return a + b;
    case ExprKind::kSub: return a - b;
    case ExprKind::kMul: return a * b;
    case ExprKind::kDiv: return a / b;
    case ExprKind::kMod: return b == 0 ? 0 : a - std::floor(a / b) * b;
    case ExprKind::kMin: return min_of(a, b);
    case ExprKind::kMax: return max_of(a, b);
    default: break;
  }
  CHECK(false, cat("no float operation ", kind_name(kind)));
  return 0;  // sanitizers hide from the compiler that CHECK does not return
}

int64_t unsigned_op(ExprKind kind, uint64_t a, uint64_t b, int bits) {
  switch (kind) {
    case ExprKind::kDiv: return static_cast<int64_t>(b == 0 ? 0 : a / b);
    case ExprKind::kMod: return static_cast<int64_t>(b == 0 ? 0 : a % b);
    case ExprKind::kMin: return static_cast<int64_t>(a < b ? a : b);
    case ExprKind::kMax: return static_cast<int64_t>(a < b ? b : a);
    default: return static_cast<int64_t>(a >> (b % static_cast<uint64_t>(bits)));  // kShr
  }
}

int64_t int_op(ExprKind kind, DType dtype, int64_t a, int64_t b) {
  const uint64_t ua = static_cast<uint64_t>(a), ub = static_cast<uint64_t>(b);
  const int bits = size_bytes(dtype) * 8;
  const bool splits_by_sign = kind == ExprKind::kDiv || kind == ExprKind::kMod || kind == ExprKind::kMin || kind == ExprKind::kMax || kind == ExprKind::kShr;
  if (is_unsigned(dtype) && splits_by_sign) return unsigned_op(kind, ua, ub, bits);
  switch (kind) {
    case ExprKind::kAdd: return static_cast<int64_t>(ua + ub);
    case ExprKind::kSub: return static_cast<int64_t>(ua - ub);
    case ExprKind::kMul: return static_cast<int64_t>(ua * ub);
    case ExprKind::kDiv: return floor_div(a, b);
    case ExprKind::kMod: return floor_mod(a, b);
    case ExprKind::kMin: return a < b ? a : b;
    case ExprKind::kMax: return a < b ? b : a;
    case ExprKind::kBitAnd:
    case ExprKind::kAnd: return a & b;
    case ExprKind::kBitOr:
    case ExprKind::kOr: return a | b;
    case ExprKind::kBitXor: return a ^ b;
    case ExprKind::kShl: return static_cast<int64_t>(ua << (ub % static_cast<uint64_t>(bits)));
    case ExprKind::kShr: return a >> (ub % static_cast<uint64_t>(bits));
    default: break;
  }
  CHECK(false, cat("no integer operation ", kind_name(kind)));
  return 0;
}

bool compare(ExprKind kind, DType from, Cell a, Cell b) {
  if (is_float(from)) return kind == ExprKind::kEq ? a.real == b.real : kind == ExprKind::kLt ? a.real < b.real : a.real <= b.real;
  if (kind == ExprKind::kEq) return a.whole == b.whole;
  if (from == DType::kU64) {
    const uint64_t x = static_cast<uint64_t>(a.whole), y = static_cast<uint64_t>(b.whole);
    return kind == ExprKind::kLt ? x < y : x <= y;
  }
  return kind == ExprKind::kLt ? a.whole < b.whole : a.whole <= b.whole;
}

int64_t wrap_arithmetic(DType dtype, int64_t value) { return dtype == DType::kIndex ? value : wrap_to(dtype, value); }

// A scalar operand serves every lane.
struct Operand {
  const Cell* cells;
  int lanes;
  Cell of(int64_t thread, int lane) const { return cells[thread * lanes + (lanes == 1 ? 0 : lane)]; }
};

class Evaluator {
 public:
  Evaluator(const Instr& instr, Cells& cells) : instr_(instr), cells_(cells), out_(cells.at(instr.to)), lanes_(instr.to.lanes) {
    for (size_t i = 0; i < 3; ++i)
      if (instr.args[i].lanes) in_[i] = {cells.at(instr.args[i]), instr.args[i].lanes};
  }

  void run() {
    const DType dtype = instr_.dtype, from = instr_.from;
    switch (instr_.kind) {
      case ExprKind::kConst:
      case ExprKind::kVar:
      case ExprKind::kLoad: return;
      case ExprKind::kCast: return each([&](int64_t t, int l) { return cast_cell(dtype, from, in_[0].of(t, l)); });
      case ExprKind::kBitcast: return bitcast();
      case ExprKind::kAdd:
        // The commonest operation of all, kept free of the general switch.
        if (is_float(dtype)) return each([&](int64_t t, int l) { return real(dtype, in_[0].of(t, l).real + in_[1].of(t, l).real); });
        [[fallthrough]];
      case ExprKind::kSub:
      case ExprKind::kMul:
      case ExprKind::kDiv:
      case ExprKind::kMod:
      case ExprKind::kMin:
      case ExprKind::kMax:
      case ExprKind::kAnd:
      case ExprKind::kOr:
      case ExprKind::kBitAnd:
      case ExprKind::kBitOr:
      case ExprKind::kBitXor:
      case ExprKind::kShl:
      case ExprKind::kShr: return each([&](int64_t t, int l) { return combine_cells(instr_.kind, dtype, in_[0].of(t, l), in_[1].of(t, l)); });
      case ExprKind::kMad: return mad();
      case ExprKind::kNot: return each([&](int64_t t, int l) { return whole(!in_[0].of(t, l).whole); });
      case ExprKind::kEq:
      case ExprKind::kLt:
      case ExprKind::kLe: return each([&](int64_t t, int l) { return whole(compare(instr_.kind, from, in_[0].of(t, l), in_[1].of(t, l))); });
      case ExprKind::kSelect: return each([&](int64_t t, int l) { return in_[0].of(t, l).whole ? in_[1].of(t, l) : in_[2].of(t, l); });
      case ExprKind::kBroadcast: return each([&](int64_t t, int) { return in_[0].of(t, 0); });
      case ExprKind::kRamp: return each([&](int64_t t, int l) {
        return combine_cells(ExprKind::kAdd, dtype, in_[0].of(t, 0), combine_cells(ExprKind::kMul, dtype, whole(l), in_[1].of(t, 0)));
      });
      case ExprKind::kExtract: return extract();
      case ExprKind::kShuffle: return shuffle();
      case ExprKind::kCall: return call();
    }
  }

 private:
  static Cell real(DType dtype, double value) {
    Cell cell;
    cell.real = round_to(dtype, value);
    return cell;
  }
  static Cell whole(int64_t value) {
    Cell cell;
    cell.whole = value;
    return cell;
  }

  template <class Function>
  void each(const Function& function) {
    Cell* out = out_;
    for (int64_t t = 0; t < cells_.threads; ++t)
      for (int l = 0; l < lanes_; ++l) *out++ = function(t, l);
  }

  void mad() {
    const DType dtype = instr_.dtype;
    if (is_float(dtype))
      return each([&](int64_t t, int l) { return real(dtype, in_[0].of(t, l).real * in_[1].of(t, l).real + in_[2].of(t, l).real); });
    each([&](int64_t t, int l) {
      const Cell product = combine_cells(ExprKind::kMul, dtype, in_[0].of(t, l), in_[1].of(t, l));
      return combine_cells(ExprKind::kAdd, dtype, product, in_[2].of(t, l));
    });
  }

  // Beyond the vector the first lane: such a value is masked off or discarded.
  void extract() {
    const Slot vector = instr_.args[0];
    each([&](int64_t t, int) {
      const int64_t lane = instr_.args[1].lanes ? in_[1].of(t, 0).whole : instr_.lane;
      return in_[0].cells[t * vector.lanes + (lane < 0 || lane >= vector.lanes ? 0 : lane)];
    });
  }

  void shuffle() {
    for (int64_t t = 0; t < cells_.threads; ++t)
      for (int l = 0; l < lanes_; ++l) {
        int from = instr_.lanes[static_cast<size_t>(l)];
        for (Slot part : instr_.parts) {
          if (from < part.lanes) {
            out_[t * lanes_ + l] = cells_.at(part)[t * part.lanes + from];
            break;
          }
          from -= part.lanes;
        }
      }
  }

  void bitcast() {
    const int from_lanes = instr_.args[0].lanes, from_bytes = size_bytes(instr_.from), to_bytes = size_bytes(instr_.dtype);
    std::vector<uint8_t> bytes(static_cast<size_t>(from_lanes * from_bytes));
    for (int64_t t = 0; t < cells_.threads; ++t) {
      for (int l = 0; l < from_lanes; ++l)
        for (int b = 0; b < from_bytes; ++b) bytes[static_cast<size_t>(l * from_bytes + b)] = static_cast<uint8_t>(bits_of(instr_.from, in_[0].of(t, l)) >> (8 * b));
      for (int l = 0; l < lanes_; ++l) {
        uint64_t bits = 0;
        for (int b = 0; b < to_bytes; ++b) bits |= static_cast<uint64_t>(bytes[static_cast<size_t>(l * to_bytes + b)]) << (8 * b);
        out_[t * lanes_ + l] = cell_of_bits(instr_.dtype, bits);
      }
    }
  }

  void dot4() {
    each([&](int64_t t, int) {
      int64_t sum = 0;
      for (int l = 0; l < in_[0].lanes; ++l) sum += in_[0].of(t, l).whole * in_[1].of(t, l).whole;
      return whole(sum);
    });
  }

  void call() {
    const DType dtype = instr_.dtype;
    if (instr_.intrinsic == Intrinsic::kDot4) return dot4();
    if (!is_float(dtype)) {
      CHECK(instr_.intrinsic == Intrinsic::kAbs, cat(intrinsic_name(instr_.intrinsic), " of integers"));
      return each([&](int64_t t, int l) {
        const int64_t value = in_[0].of(t, l).whole;
        return whole(is_unsigned(dtype) || value >= 0 ? value : wrap_to(dtype, static_cast<int64_t>(0 - static_cast<uint64_t>(value))));
      });
    }
    each([&](int64_t t, int l) { return real(dtype, apply_intrinsic(instr_.intrinsic, in_[0].of(t, l).real, instr_.args[1].lanes ? in_[1].of(t, l).real : 0)); });
  }

  const Instr& instr_;
  Cells& cells_;
  Cell* out_;
  int lanes_;
  Operand in_[3]{};
};

}  // namespace

Cell combine_cells(ExprKind kind, DType dtype, Cell a, Cell b) {
  Cell out;
  if (is_float(dtype)) out.real = round_to(dtype, float_op(kind, a.real, b.real));
  else out.whole = wrap_arithmetic(dtype, int_op(kind, dtype, a.whole, b.whole));
  return out;
}

bool evaluate(const Instr& instr, Cells& cells, const std::vector<uint8_t>& active) {
  Evaluator(instr, cells).run();
  if (instr.dtype != DType::kIndex) return true;
  const Cell* out = cells.at(instr.to);
  for (size_t t = 0; t < active.size(); ++t)
    for (int l = 0; l < instr.to.lanes; ++l, ++out)
      if (active[t] && out->whole != static_cast<int32_t>(out->whole)) return false;
  return true;
}

}  // namespace hone::ir
