#include "codegen/te/ops/einsum.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <string>

#include "base/cat.h"
#include "codegen/te/bad_model.h"
#include "codegen/te/ops/broadcast.h"

namespace hone::te {
namespace {

// A dimension's letter; those that an ellipsis stands for are digits, the last of them '9'.
using Labels = std::string;
constexpr std::string_view kEllipsis = "...", kEllipsisLabels = "0123456789";

struct Equation {
  std::vector<Labels> inputs;
  Labels output;
};

bool is_letters(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isalpha(c) != 0; });
}

// The labels of a term of so many dimensions.
Result<Labels> labels_of(std::string_view term, size_t rank) {
  const size_t dots = term.find(kEllipsis);
  const std::string_view before = term.substr(0, dots), behind = dots == term.npos ? "" : term.substr(dots + kEllipsis.size());
  const size_t letters = before.size() + behind.size();
  const bool fits = dots == term.npos ? letters == rank : letters <= rank && rank - letters <= kEllipsisLabels.size();
  if (!is_letters(before) || !is_letters(behind) || !fits)
    return bad_model(cat("the term '", term, "' of its equation does not name the ", rank, " dimensions of its operand"));
  return cat(before, kEllipsisLabels.substr(kEllipsisLabels.size() - (rank - letters)), behind);
}

std::vector<std::string> terms_of(std::string_view text) {
  std::vector<std::string> terms(1);
  for (char c : text)
    if (c == ',') terms.emplace_back();
    else terms.back() += c;
  return terms;
}

Labels in_order(const std::vector<Labels>& inputs, auto&& wanted) {
  Labels all, kept;
  for (const Labels& labels : inputs) all += labels;
  std::sort(all.begin(), all.end());
  for (char label : all)
    if (wanted(label, std::count(all.begin(), all.end(), label)) && kept.find(label) == kept.npos) kept += label;
  return kept;
}

bool is_of_ellipsis(char label) { return std::isdigit(static_cast<unsigned char>(label)) != 0; }

Result<Labels> output_of(std::string_view term, const std::vector<Labels>& inputs) {
  const Labels leading = in_order(inputs, [](char label, auto) { return is_of_ellipsis(label); });
  HONE_ASSIGN(output, labels_of(term, term.size() - (term.find(kEllipsis) == term.npos ? 0 : kEllipsis.size()) +
                                          (term.find(kEllipsis) == term.npos ? 0 : leading.size())));
  for (char label : output)
    if (std::count(output.begin(), output.end(), label) != 1 ||
        std::none_of(inputs.begin(), inputs.end(), [label](const Labels& input) { return input.find(label) != input.npos; }))
      return bad_model(cat("the result '", term, "' of its equation names a dimension twice, or one that no operand has"));
  return output;
}

Result<Equation> parse(std::string text, const std::vector<Tensor>& operands) {
  std::erase(text, ' ');
  const size_t arrow = text.find("->");
  const std::vector<std::string> terms = terms_of(std::string_view(text).substr(0, arrow));
  if (terms.size() != operands.size()) return bad_model(cat("its equation '", text, "' has ", terms.size(), " terms for ", operands.size(), " operands"));
  Equation equation;
  for (size_t i = 0; i < terms.size(); i++) {
    HONE_ASSIGN(labels, labels_of(terms[i], operands[i]->shape.size()));
    equation.inputs.push_back(labels);
  }
  if (arrow == text.npos) {
    equation.output = in_order(equation.inputs, [](char label, auto count) { return is_of_ellipsis(label) || count == 1; });
    return equation;
  }
  HONE_ASSIGN(output, output_of(std::string_view(text).substr(arrow + 2), equation.inputs));
  equation.output = output;
  return equation;
}

Result<std::map<char, int64_t>> extents_of(const Equation& equation, const std::vector<Tensor>& operands) {
  std::map<char, int64_t> extents;
  for (size_t i = 0; i < operands.size(); i++)
    for (size_t d = 0; d < equation.inputs[i].size(); d++) {
      const int64_t extent = operands[i]->shape[d];
      int64_t& known = extents.try_emplace(equation.inputs[i][d], extent).first->second;
      if (known == 1) known = extent;
      if (extent != known && extent != 1)
        return bad_model(cat("its dimension '", std::string(1, equation.inputs[i][d]), "' has ", known, " elements in one operand and ", extent, " in another"));
    }
  return extents;
}

class Contraction {
 public:
  Contraction(Builder& b, std::map<char, int64_t> extents) : b_(b), extents_(std::move(extents)) {}

  // The sum over all labels that the result lacks. At most two terms, so that the steps of one result are countable.
  Result<Tensor> contract(std::string_view name, const std::vector<Tensor>& operands, const std::vector<Labels>& inputs, const Labels& output) {
    HONE_TRY(check_size(output));
    std::vector<Axis> axes, summed;
    std::map<char, Sym> at;
    for (char label : output) at.emplace(label, b_.sym(axes.emplace_back(axis_of(label))));
    for (const Labels& labels : inputs)
      for (char label : labels)
        if (!at.count(label)) at.emplace(label, b_.sym(summed.emplace_back(axis_of(label))));
    Sym value = load(operands[0], inputs[0], at);
    for (size_t i = 1; i < operands.size(); i++) {
      const Sym factor = load(operands[i], inputs[i], at);
      value = value * factor;
    }
    return summed.empty() ? b_.map(name, axes, value) : b_.reduce(name, axes, summed, Fold::kSum, value);
  }

 private:
  // Of a product of two before the last, nobody else looks at its size.
  Status check_size(const Labels& labels) const {
    double elements = 1;
    for (char label : labels) elements *= static_cast<double>(extents_.at(label));
    return elements <= static_cast<double>(kExtentMax) ? ok_status() : bad_model(cat("a product in its equation has ", elements, " elements, more than ", kExtentMax));
  }

  Axis axis_of(char label) { return b_.axis(is_of_ellipsis(label) ? cat("b", std::string(1, label)) : std::string(1, label), extents_.at(label)); }

  Sym load(Tensor t, const Labels& labels, const std::map<char, Sym>& at) {
    std::vector<Sym> index;
    for (size_t d = 0; d < t->shape.size(); d++) index.push_back(t->shape[d] == 1 ? b_.index(0) : at.at(labels[d]));
    return b_.at(t, index);
  }

  Builder& b_;
  const std::map<char, int64_t> extents_;
};

// Of a product of the first two terms: what the result or a later term has.
Labels kept_labels(const Equation& equation) {
  Labels kept;
  for (char label : equation.inputs[0] + equation.inputs[1]) {
    const auto has = [label](const Labels& labels) { return labels.find(label) != labels.npos; };
    if (!has(kept) && (has(equation.output) || std::any_of(equation.inputs.begin() + 2, equation.inputs.end(), has))) kept += label;
  }
  return kept;
}

}  // namespace

Result<Tensor> einsum(Builder& b, std::string_view text, std::vector<Tensor> operands) {
  HONE_ASSIGN(equation, parse(std::string(text), operands));
  HONE_ASSIGN(extents, extents_of(equation, operands));
  for (Tensor t : operands)
    if (t->dtype != operands[0]->dtype || !ir::is_float(t->dtype)) return bad_model("its operands must have one float type");
  Contraction sum(b, std::move(extents));
  while (operands.size() > 2) {
    const Labels kept = kept_labels(equation);
    HONE_ASSIGN(product, sum.contract("product", {operands[0], operands[1]}, {equation.inputs[0], equation.inputs[1]}, kept));
    operands.erase(operands.begin());
    equation.inputs.erase(equation.inputs.begin());
    operands[0] = product;
    equation.inputs[0] = kept;
  }
  return sum.contract("Y", operands, equation.inputs, equation.output);
}

}  // namespace hone::te
