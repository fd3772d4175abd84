#include <cmath>

#include "codegen/graph/matcher.h"
#include "codegen/graph/passes.h"

namespace hone::graph {
namespace {

// Hendrycks and Gimpel 2016, "Gaussian error linear units": x · Φ(x), and its approximation by tanh.
constexpr double kErfScale = 0.70710678118654752;   // 1 / √2
constexpr double kTanhScale = 0.79788456080286536;  // √(2 / π)
constexpr double kTanhCubic = 0.044715;

class GeluMatcher {
 public:
  explicit GeluMatcher(Graph& graph) : m_(graph) {}

  void run() {
    for (int i = 0; i < m_.nodes(); i++) try_at(i);
  }

 private:
  void try_at(int root);
  bool is_gate(ValueId gate, ValueId x, double factor, const char** how) const;
  bool is_erf_of(ValueId argument, ValueId x) const;
  bool is_tanh_of(ValueId argument, ValueId x) const;
  bool is_cubic(ValueId sum, const Product& around, ValueId x) const;
  bool near(double a, double b, ValueId x) const { return is_near(a, b, m_.value(x).dtype); }

  Matcher m_;
};

// x · factor · gate
void GeluMatcher::try_at(int root) {
  const Node& last = m_.node(root);
  if (last.op != "Mul" && last.op != "Div") return;
  const Product whole = m_.product(last.outputs[0]);
  if (whole.values.size() != 2) return;
  for (size_t i = 0; i < 2; i++) {
    const ValueId x = whole.values[i], gate = whole.values[1 - i];
    const char* how = nullptr;
    if (!ir::is_float(m_.value(x).dtype) || m_.value(x).shape != m_.value(last.outputs[0]).shape || !is_gate(gate, x, whole.factor, &how)) continue;
    m_.replace(root, "Gelu", {x}, {{"approximate", std::string(how)}});
    return;
  }
}

// ½ · (1 + f), where factor · gate is that, for an f of x.
bool GeluMatcher::is_gate(ValueId gate, ValueId x, double factor, const char** how) const {
  const Node* add = m_.made_for_one(gate, "Add");
  for (size_t side = 0; add && side < 2; side++) {
    const auto one = m_.number(add->inputs[side]);
    if (!one || !near(factor * *one, 0.5, x)) continue;
    const ValueId term = add->inputs[1 - side];
    if (!m_.is_read_times(term, 1)) return false;
    const Product f = m_.product(term);
    if (f.values.size() != 1 || !near(factor * f.factor, 0.5, x)) return false;
    const Node *erf = m_.made_for_one(f.values[0], "Erf"), *tanh = m_.made_for_one(f.values[0], "Tanh");
    *how = erf ? "none" : "tanh";
    return erf ? is_erf_of(erf->inputs[0], x) : tanh && is_tanh_of(tanh->inputs[0], x);
  }
  return false;
}

bool GeluMatcher::is_erf_of(ValueId argument, ValueId x) const {
  if (!m_.is_read_times(argument, 1)) return false;
  const Product scaled = m_.product(argument);
  return scaled.is_of({x}) && near(scaled.factor, kErfScale, x);
}

// A number times x + cubic · x³, or times x · (1 + cubic · x²).
bool GeluMatcher::is_tanh_of(ValueId argument, ValueId x) const {
  if (!m_.is_read_times(argument, 1)) return false;
  Product around = m_.product(argument);
  for (size_t i = 0; i < around.values.size() && around.values.size() <= 2; i++) {
    const ValueId sum = around.values[i];
    if (!m_.made_by(sum, "Add") || sum == x) continue;
    around.values.erase(around.values.begin() + static_cast<std::ptrdiff_t>(i));
    return (sum == argument || m_.is_read_times(sum, 1)) && is_cubic(sum, around, x);
  }
  return false;
}

bool GeluMatcher::is_cubic(ValueId sum, const Product& around, ValueId x) const {
  const Node* add = m_.made_by(sum, "Add");
  double linear = 0, cubic = 0;
  for (ValueId term : add->inputs) {
    if (term != x && !m_.number(term) && !m_.is_read_times(term, 1)) return false;
    Product p = term == x ? Product{1, {x}} : m_.product(term);
    p.values.insert(p.values.end(), around.values.begin(), around.values.end());
    if (p.is_of({x})) linear += around.factor * p.factor;
    else if (p.is_of({x, x, x})) cubic += around.factor * p.factor;
    else return false;
  }
  return near(linear, kTanhScale, x) && near(cubic, kTanhScale * kTanhCubic, x);
}

}  // namespace

void recognise_gelu(Graph& graph) { GeluMatcher(graph).run(); }

}  // namespace hone::graph
