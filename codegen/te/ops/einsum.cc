#include "codegen/te/ops/einsum.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <string>

#include "base/cat.h"
#include "codegen/te/bad_model.h"

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

}  // namespace

Result<Tensor> einsum(Builder& b, std::string_view text, const std::vector<Tensor>& operands) {
  HONE_ASSIGN(equation, parse(std::string(text), operands));
  HONE_ASSIGN(extents, extents_of(equation, operands));
  for (Tensor t : operands)
    if (t->dtype != operands[0]->dtype || !ir::is_float(t->dtype)) return bad_model("its operands must have one float type");
  std::vector<Axis> axes, summed;
  std::map<char, Sym> at;
  const auto axis_of = [&](char label) { return b.axis(is_of_ellipsis(label) ? cat("b", std::string(1, label)) : std::string(1, label), extents.at(label)); };
  for (char label : equation.output) at.emplace(label, b.sym(axes.emplace_back(axis_of(label))));
  for (const Labels& labels : equation.inputs)
    for (char label : labels)
      if (!at.count(label)) at.emplace(label, b.sym(summed.emplace_back(axis_of(label))));
  std::optional<Sym> product;
  for (size_t i = 0; i < operands.size(); i++) {
    std::vector<Sym> index;
    for (size_t d = 0; d < operands[i]->shape.size(); d++)
      index.push_back(operands[i]->shape[d] == 1 ? b.index(0) : at.at(equation.inputs[i][d]));
    const Sym value = b.at(operands[i], index);
    product = product ? *product * value : value;
  }
  return summed.empty() ? b.map("Y", axes, *product) : b.reduce("Y", axes, summed, Fold::kSum, *product);
}

}  // namespace hone::te
