// TfIdfVectorizer of whole numbers: its pool, which is one list for grams of each length, as a table.
#include <algorithm>

#include "base/cat.h"
#include "codegen/graph/expand_composed.h"
#include "codegen/graph/limits.h"
#include "codegen/graph/op_arguments.h"
#include "codegen/te/ops/grams.h"

namespace hone::graph {
namespace {

struct GramTable {
  int64_t grams = 0, longest = 1;
  std::vector<double> pool, lengths, weights;
};

// Grams of length 1 begin at counts[0], of length 2 at counts[1], …; gram i, counted through all of them, is column indexes[i].
Result<GramTable> table_of(const OpCall& call) {
  const std::vector<int64_t> pool = call.integers("pool_int64s"), counts = call.integers("ngram_counts"), indexes = call.integers("ngram_indexes");
  const std::vector<double> weights = call.numbers("weights");
  const int64_t shortest = call.integer("min_gram_length", 1), longest = call.integer("max_gram_length", 1);
  HONE_TRY(check_range("max_gram_length", longest, 1, te::kGramMax));
  GramTable out{.longest = longest};
  // A table as large as what the file lists, about: a few grams do not make a result of millions.
  const auto columns_max = static_cast<int64_t>(std::max(kSettingsMax, static_cast<size_t>(te::kGramMax) * indexes.size()));
  for (int64_t column : indexes) {
    HONE_TRY(check_range("an index of ngram_indexes", column, 0, columns_max - 1));
    out.grams = std::max(out.grams, column + 1);
  }
  const auto columns = static_cast<size_t>(out.grams);
  out.pool.assign(columns * static_cast<size_t>(longest), 0);
  out.lengths.assign(columns, 0);
  out.weights.assign(columns, 1);
  size_t gram = 0;
  for (size_t n = 0; n < counts.size(); n++) {
    const int64_t begin = counts[n], end = n + 1 < counts.size() ? counts[n + 1] : static_cast<int64_t>(pool.size()), length = static_cast<int64_t>(n) + 1;
    if (begin < 0 || begin > end || end > static_cast<int64_t>(pool.size()) || (end - begin) % length != 0) return bad_node(cat("ngram_counts do not divide a pool of ", pool.size(), " numbers"));
    for (int64_t at = begin; at < end; at += length, gram++) {
      if (gram >= indexes.size()) return bad_node(cat("has ", indexes.size(), " ngram_indexes; expected one for each gram"));
      const auto column = static_cast<size_t>(indexes[gram]);
      if (gram < weights.size()) out.weights[column] = weights[gram];
      if (length < shortest || length > longest) continue;
      out.lengths[column] = double(length);
      for (int64_t l = 0; l < length; l++) out.pool[column * static_cast<size_t>(longest) + static_cast<size_t>(l)] = double(pool[static_cast<size_t>(at + l)]);
    }
  }
  return out;
}

}  // namespace

Expanded expand_grams(NodeWriter& nodes, const OpCall& call) {
  if (!call.texts("pool_strings").empty()) return Error{ErrorCode::kUnsupported, "strings are not supported"};
  HONE_ASSIGN(table, table_of(call));
  const std::string mode = call.text("mode", "");
  if (mode != "TF" && mode != "IDF" && mode != "TFIDF") return bad_node(cat("mode '", mode, "' is not defined; expected TF, IDF or TFIDF"));
  const DType dtype = call.value(0).dtype;
  const ValueId pool = nodes.constant(dtype, {table.grams, table.longest}, table.pool), lengths = nodes.constant(DType::kI64, {table.grams}, table.lengths);
  const ValueId weights = nodes.constant(DType::kF32, {table.grams}, table.weights);
  return std::vector<ValueId>{nodes.add("hone.CountedGrams", {call.node.inputs[0], pool, lengths, weights}, {{"max_skip_count", call.integer("max_skip_count", 0)}, {"mode", mode}})};
}

Emitted emit_counted_grams(const OpCall& call) {
  te::Grams g{.skips_max = call.integer("max_skip_count", 0)};
  const te::Tensor x = call.tensor(0, "X");
  g.pool = call.tensor(1, "pool");
  g.lengths = call.tensor(2, "lengths");
  g.weights = call.tensor(3, "weights");
  const std::string mode = call.text("mode", "TF");
  g.weight = mode == "TF" ? te::GramWeight::kCount : mode == "IDF" ? te::GramWeight::kPresence : te::GramWeight::kWeightedCount;
  return one_output(te::counted_grams(call.b, x, g));
}

}  // namespace hone::graph
