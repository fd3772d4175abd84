// The matrix from frequencies to bands of the mel scale: known when the model is read.
#include <algorithm>
#include <cmath>

#include "base/cat.h"
#include "codegen/graph/expand_composed.h"
#include "codegen/graph/limits.h"
#include "codegen/graph/op_arguments.h"

namespace hone::graph {
namespace {

// O'Shaughnessy 1987, "Speech Communication", 150: of a frequency in Hz.
double mel_of(double hertz) { return 2595 * std::log10(1 + hertz / 700); }
double hertz_of(double mel) { return 700 * (std::pow(10, mel / 2595) - 1); }

struct MelBands {
  int64_t bands = 0, length = 0, rate = 0;  // length: of the Fourier transform
  double low_hertz = 0, high_hertz = 0;
  int64_t bins() const { return length / 2 + 1; }

  // The bin of edge i of 0 … bands + 1: a band rises from its first edge to the second and falls to the third. As ONNX defines it, the last edge stays below high_hertz.
  int64_t edge(int64_t i) const {
    const double low = mel_of(low_hertz), mel = low + double(i) * (mel_of(high_hertz) - low) / double(bands + 2);
    return std::clamp<int64_t>(static_cast<int64_t>(std::floor(double(length + 1) * hertz_of(mel) / double(rate))), 0, bins());
  }

  double weight(int64_t bin, int64_t from, int64_t centre, int64_t to) const {
    if (bin == centre && (from == centre || to <= centre)) return 1;
    if (bin >= from && bin < centre) return double(bin - from) / double(centre - from);
    return bin >= centre && bin < to ? double(to - bin) / double(to - centre) : 0;
  }

  std::vector<double> weights() const {
    std::vector<double> out(static_cast<size_t>(bins() * bands));
    for (int64_t band = 0; band < bands; band++) {
      const int64_t from = edge(band), centre = edge(band + 1), to = edge(band + 2);
      for (int64_t bin = 0; bin < bins(); bin++) out[static_cast<size_t>(bin * bands + band)] = weight(bin, from, centre, to);
    }
    return out;
  }
};

Result<double> number_in(const OpCall& call, size_t i) {
  HONE_ASSIGN(numbers, call.numbers(i));
  if (numbers.size() != 1 || !std::isfinite(numbers[0])) return bad_node(cat("input ", i, " is not one number"));
  return numbers[0];
}

}  // namespace

Expanded expand_mel_weights(NodeWriter& nodes, const OpCall& call) {
  MelBands m;
  HONE_ASSIGN(bands, integer_in(call, 0));
  HONE_ASSIGN(length, integer_in(call, 1));
  HONE_ASSIGN(rate, integer_in(call, 2));
  HONE_ASSIGN(low, number_in(call, 3));
  HONE_ASSIGN(high, number_in(call, 4));
  m = {bands, length, rate, low, high};
  HONE_TRY(check_range("num_mel_bins", bands, 1, 1 << 16));
  HONE_TRY(check_range("dft_length", length, 1, 1 << 24));
  HONE_TRY(check_range("sample_rate", rate, 1, int64_t{1} << 31));
  if (low < 0 || high < low) return bad_node(cat("the band from ", low, " to ", high, " Hz is empty"));
  if (m.bins() * bands > kFoldElementsMax) return Error{ErrorCode::kLimitExceeded, cat("a matrix of ", m.bins(), " times ", bands, " is larger than hone computes when it compiles")};
  HONE_ASSIGN(dtype, type_of(call, "output_datatype", DType::kF32));
  return std::vector<ValueId>{nodes.add("Identity", {nodes.constant(dtype, {m.bins(), bands}, m.weights())})};
}

}  // namespace hone::graph
