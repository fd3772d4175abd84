#include "tests/mutants/mutate_model.h"

#include <google/protobuf/stubs/logging.h>
#include <onnx/onnx_pb.h>

#include <cmath>
#include <limits>
#include <vector>

#include "base/cat.h"
#include "base/rng.h"
#include "codegen/graph/op_table.h"

namespace hone::mutants {
namespace {

// Numbers at which something ends: of axes, of ranks, of 16, 31, 32 and 64 bits.
constexpr int64_t kInts[] = {
    0,         1,         -1,     2,     -2,      3,          4,         7,         8,         16,
    1000,      32767,     32768,  65536, 1 << 20, 2147483647, 1LL << 31, 1LL << 32, 1LL << 62, -(1LL << 62),
    INT64_MAX, INT64_MIN, -32769, -100};
constexpr float kFloats[] = {0, 1, -1, 0.5f, 1e-30f, 1e30f, -1e30f, INFINITY, -INFINITY, NAN};
constexpr const char* kTexts[] = {
    "",    "SAME_UPPER",    "SAME_LOWER",         "VALID", "NOTSET", "reflect", "edge", "linear", "cubic", "nearest",
    "CRD", "align_corners", "tf_crop_and_resize", "ceil",  "tanh",   "\x1b[31m"};

class Mutator {
 public:
  Mutator(onnx::ModelProto& model, uint64_t seed) : model_(model), graph_(model.mutable_graph()), rng_(seed) {}
  std::string run();

 private:
  using Change = std::string (Mutator::*)();

  template <class List>
  auto& any(List& list) {
    return list[rng_.below(std::size(list))];
  }
  template <class Field>
  int any_index(const Field& field) {
    return static_cast<int>(rng_.below(static_cast<uint64_t>(field.size())));
  }
  onnx::GraphProto& graph() { return *graph_; }
  void choose_graph();
  onnx::NodeProto& any_node() { return *graph().mutable_node(any_index(graph().node())); }
  std::string any_value();
  onnx::AttributeProto* any_attribute(std::string& where);
  void fill(onnx::AttributeProto& a);
  onnx::TensorProto* any_tensor();
  static std::string name_of(const onnx::NodeProto& n) {
    return cat(" of ", n.op_type(), " '", n.output_size() ? n.output(0) : n.name(), "'");
  }

  std::string drop_input();
  std::string leave_out_input();
  std::string rewire_input();
  std::string swap_inputs();
  std::string add_input();
  std::string drop_output();
  std::string add_output();
  std::string rename_output();
  std::string retype_attribute();
  std::string change_attribute();
  std::string drop_attribute();
  std::string add_attribute();
  std::string change_operator();
  std::string drop_node();
  std::string double_node();
  std::string swap_nodes();
  std::string change_dimension();
  std::string change_rank();
  std::string change_type();
  std::string change_contents();
  std::string change_graph_outputs();
  std::string change_graph_inputs();
  std::string change_opset();

  onnx::ModelProto& model_;
  onnx::GraphProto* graph_;  // what the next change is made in
  Rng rng_;
};

void add_graphs(onnx::GraphProto& graph, std::vector<onnx::GraphProto*>& out) {
  if (graph.node_size() > 0) out.push_back(&graph);
  for (auto& n : *graph.mutable_node())
    for (auto& a : *n.mutable_attribute())
      if (a.has_g()) add_graphs(*a.mutable_g(), out);
}

// The model's, or one of its nodes' subgraphs.
void Mutator::choose_graph() {
  std::vector<onnx::GraphProto*> all;
  add_graphs(*model_.mutable_graph(), all);
  graph_ = all.size() > 1 ? any(all) : model_.mutable_graph();
}

std::string Mutator::any_value() {
  std::vector<std::string> names;
  for (const auto& v : graph().input()) names.push_back(v.name());
  for (const auto& v : graph().initializer()) names.push_back(v.name());
  for (const auto& n : graph().node())
    for (const auto& name : n.output()) names.push_back(name);
  return names.empty() ? "" : any(names);
}

std::string Mutator::drop_input() {
  auto& n = any_node();
  if (n.input_size() == 0) return "";
  const int i = any_index(n.input());
  n.mutable_input()->DeleteSubrange(i, 1);
  return cat("drop_input ", i, name_of(n));
}
std::string Mutator::leave_out_input() {
  auto& n = any_node();
  if (n.input_size() == 0) return "";
  const int i = any_index(n.input());
  n.set_input(i, "");
  return cat("leave_out_input ", i, name_of(n));
}
std::string Mutator::rewire_input() {
  auto& n = any_node();
  if (n.input_size() == 0) return "";
  const int i = any_index(n.input());
  n.set_input(i, any_value());
  return cat("rewire_input ", i, name_of(n), " to '", n.input(i), "'");
}
std::string Mutator::swap_inputs() {
  auto& n = any_node();
  if (n.input_size() < 2) return "";
  n.mutable_input()->SwapElements(any_index(n.input()), any_index(n.input()));
  return cat("swap_inputs", name_of(n));
}
std::string Mutator::add_input() {
  auto& n = any_node();
  for (uint64_t i = 0; i <= rng_.below(3); i++) n.add_input(any_value());
  return cat("add_input", name_of(n));
}
std::string Mutator::drop_output() {
  auto& n = any_node();
  if (n.output_size() == 0) return "";
  const std::string where = name_of(n);
  if (rng_.below(2)) n.mutable_output()->RemoveLast();
  else n.set_output(any_index(n.output()), "");
  return cat("drop_output", where);
}
std::string Mutator::add_output() {
  auto& n = any_node();
  n.add_output(rng_.below(4) ? cat("more", rng_.below(1000)) : any_value());
  return cat("add_output", name_of(n));
}
std::string Mutator::rename_output() {
  auto& n = any_node();
  if (n.output_size() == 0) return "";
  const std::string where = name_of(n);
  n.set_output(any_index(n.output()), any_value());
  return cat("rename_output", where);
}

onnx::AttributeProto* Mutator::any_attribute(std::string& where) {
  for (int attempt = 0; attempt < 8; attempt++) {
    auto& n = any_node();
    if (n.attribute_size() == 0) continue;
    auto* a = n.mutable_attribute(any_index(n.attribute()));
    where = cat(" ", a->name(), name_of(n));
    return a;
  }
  return nullptr;
}

// Contents of the attribute's type.
void Mutator::fill(onnx::AttributeProto& a) {
  const auto count = rng_.below(6);
  switch (a.type()) {
    case onnx::AttributeProto::INT:
      a.set_i(any(kInts));
      break;
    case onnx::AttributeProto::FLOAT:
      a.set_f(any(kFloats));
      break;
    case onnx::AttributeProto::STRING:
      a.set_s(any(kTexts));
      break;
    case onnx::AttributeProto::INTS:
      if (a.ints_size() > 0 && rng_.below(2)) a.set_ints(any_index(a.ints()), any(kInts));
      else
        for (uint64_t i = 0; i < count; i++) a.add_ints(any(kInts));
      break;
    case onnx::AttributeProto::FLOATS:
      for (uint64_t i = 0; i < count; i++) a.add_floats(any(kFloats));
      break;
    case onnx::AttributeProto::TENSOR:
      a.mutable_t()->set_data_type(static_cast<int>(rng_.below(17)));
      a.mutable_t()->add_dims(static_cast<int64_t>(rng_.below(3)));
      break;
    default:
      break;
  }
}

std::string Mutator::retype_attribute() {
  static constexpr onnx::AttributeProto::AttributeType kTypes[] = {
      onnx::AttributeProto::INT,  onnx::AttributeProto::FLOAT,  onnx::AttributeProto::STRING,
      onnx::AttributeProto::INTS, onnx::AttributeProto::FLOATS, onnx::AttributeProto::TENSOR,
      onnx::AttributeProto::GRAPH};
  std::string where;
  auto* a = any_attribute(where);
  if (!a) return "";
  a->set_type(any(kTypes));
  fill(*a);
  return cat("retype_attribute", where);
}
std::string Mutator::change_attribute() {
  std::string where;
  auto* a = any_attribute(where);
  if (!a) return "";
  fill(*a);
  return cat("change_attribute", where);
}
std::string Mutator::drop_attribute() {
  auto& n = any_node();
  if (n.attribute_size() == 0) return "";
  n.mutable_attribute()->DeleteSubrange(any_index(n.attribute()), 1);
  return cat("drop_attribute", name_of(n));
}
std::string Mutator::add_attribute() {
  static constexpr const char* kNames[] = {"axis",  "axes",      "pads",       "strides",  "dilations", "kernel_shape",
                                           "group", "keepdims",  "perm",       "mode",     "auto_pad",  "training_mode",
                                           "split", "blocksize", "ceil_mode",  "to",       "epsilon",   "output_shape",
                                           "alpha", "beta",      "block_size", "allowzero"};
  auto& n = any_node();
  auto* a = n.add_attribute();
  a->set_name(any(kNames));
  a->set_type(static_cast<onnx::AttributeProto::AttributeType>(1 + rng_.below(8)));
  fill(*a);
  return cat("add_attribute ", a->name(), name_of(n));
}

std::string Mutator::change_operator() {
  static const auto kOps = [] {
    auto ops = graph::supported_ops();
    for (const char* op : {"If", "Loop", "Scan", "SequenceMap", "SequenceAt", "SplitToSequence", "Optional"}) ops.push_back(op);
    return ops;
  }();
  auto& n = any_node();
  const std::string where = name_of(n);
  n.set_op_type(std::string(any(kOps)));
  return cat("change_operator", where, " to ", n.op_type());
}
std::string Mutator::drop_node() {
  const int i = any_index(graph().node());
  const std::string where = name_of(graph().node(i));
  graph().mutable_node()->DeleteSubrange(i, 1);
  return cat("drop_node", where);
}
std::string Mutator::double_node() {
  onnx::NodeProto copy = any_node();
  if (rng_.below(4))
    for (auto& name : *copy.mutable_output()) name = cat("copy", rng_.below(1 << 20));
  if (copy.output_size() > 0 && rng_.below(2)) graph().add_output()->set_name(copy.output(0));
  *graph().add_node() = copy;
  return cat("double_node", name_of(copy));
}
std::string Mutator::swap_nodes() {
  graph().mutable_node()->SwapElements(any_index(graph().node()), any_index(graph().node()));
  return "swap_nodes";
}

std::string Mutator::change_dimension() {
  if (rng_.below(2) && graph().initializer_size() > 0) {
    auto& t = *graph().mutable_initializer(any_index(graph().initializer()));
    if (t.dims_size() == 0) return "";
    t.set_dims(any_index(t.dims()), any(kInts));
    return cat("change_dimension of initialiser '", t.name(), "'");
  }
  if (graph().input_size() == 0) return "";
  auto& v = *graph().mutable_input(any_index(graph().input()));
  auto& shape = *v.mutable_type()->mutable_tensor_type()->mutable_shape();
  if (shape.dim_size() == 0) return "";
  shape.mutable_dim(any_index(shape.dim()))
      ->set_dim_value(rng_.below(2) ? static_cast<int64_t>(rng_.below(9)) : any(kInts));
  return cat("change_dimension of input '", v.name(), "'");
}
std::string Mutator::change_rank() {
  if (graph().input_size() == 0) return "";
  auto& v = *graph().mutable_input(any_index(graph().input()));
  auto& shape = *v.mutable_type()->mutable_tensor_type()->mutable_shape();
  const uint64_t choice = rng_.below(4);
  if (choice == 0) shape.clear_dim();
  else if (choice == 1 && shape.dim_size() > 0) shape.mutable_dim()->RemoveLast();
  else
    for (uint64_t i = 0; i <= rng_.below(choice == 2 ? 2 : 80); i++) shape.add_dim()->set_dim_value(1);
  return cat("change_rank of input '", v.name(), "'");
}
std::string Mutator::change_type() {
  const int type = static_cast<int>(rng_.below(18));
  if (rng_.below(2) && graph().initializer_size() > 0) {
    auto& t = *graph().mutable_initializer(any_index(graph().initializer()));
    t.set_data_type(type);
    return cat("change_type of initialiser '", t.name(), "' to ", type);
  }
  if (graph().input_size() == 0) return "";
  auto& v = *graph().mutable_input(any_index(graph().input()));
  v.mutable_type()->mutable_tensor_type()->set_elem_type(type);
  return cat("change_type of input '", v.name(), "' to ", type);
}

onnx::TensorProto* Mutator::any_tensor() {
  std::vector<onnx::TensorProto*> all;
  for (auto& t : *graph().mutable_initializer()) all.push_back(&t);
  for (auto& n : *graph().mutable_node())
    for (auto& a : *n.mutable_attribute())
      if (a.has_t()) all.push_back(a.mutable_t());
  return all.empty() ? nullptr : any(all);
}

// Some elements become numbers at which something ends; sizes and kinds stay.
std::string Mutator::change_contents() {
  onnx::TensorProto* t = any_tensor();
  if (!t) return "";
  for (uint64_t i = 0; i <= rng_.below(3); i++) {
    if (t->int64_data_size() > 0) t->set_int64_data(any_index(t->int64_data()), any(kInts));
    if (t->float_data_size() > 0) t->set_float_data(any_index(t->float_data()), any(kFloats));
    if (t->int32_data_size() > 0) t->set_int32_data(any_index(t->int32_data()), static_cast<int>(any(kInts)));
    std::string& raw = *t->mutable_raw_data();
    const int64_t whole = any(kInts);
    const float real = any(kFloats);
    const bool is_whole = t->data_type() == onnx::TensorProto::INT64;
    const size_t width = is_whole ? 8 : 4;
    if (raw.size() >= width)
      raw.replace(rng_.below(raw.size() / width) * width, width,
                  is_whole ? std::string(reinterpret_cast<const char*>(&whole), 8)
                           : std::string(reinterpret_cast<const char*>(&real), 4));
    if (raw.empty()) t->clear_raw_data();
  }
  return cat("change_contents of '", t->name(), "'");
}

std::string Mutator::change_graph_outputs() {
  const uint64_t choice = rng_.below(3);
  if (choice == 0 && graph().output_size() > 0) graph().mutable_output()->RemoveLast();
  else if (choice == 1 && graph().output_size() > 0) *graph().add_output() = graph().output(0);
  else graph().add_output()->set_name(any_value());
  return cat("change_graph_outputs ", choice);
}
std::string Mutator::change_graph_inputs() {
  const uint64_t choice = rng_.below(3);
  if (graph().input_size() == 0) return "";
  if (choice == 0) graph().mutable_input()->DeleteSubrange(any_index(graph().input()), 1);
  else if (choice == 1) *graph().add_input() = onnx::ValueInfoProto(graph().input(0));
  else graph().mutable_input(any_index(graph().input()))->set_name(any_value());
  return cat("change_graph_inputs ", choice);
}
std::string Mutator::change_opset() {
  if (model_.opset_import_size() == 0) return "";
  auto& opset = *model_.mutable_opset_import(any_index(model_.opset_import()));
  opset.set_version(6 + static_cast<int64_t>(rng_.below(23)));
  return cat("change_opset to ", opset.version());
}

std::string Mutator::run() {
  // Inputs and attributes are where most definitions are read: they come twice.
  static constexpr Change kChanges[] = {
      &Mutator::drop_input,         &Mutator::leave_out_input,  &Mutator::rewire_input,
      &Mutator::rewire_input,       &Mutator::swap_inputs,      &Mutator::add_input,
      &Mutator::drop_output,        &Mutator::add_output,       &Mutator::rename_output,
      &Mutator::retype_attribute,   &Mutator::retype_attribute, &Mutator::change_attribute,
      &Mutator::change_attribute,   &Mutator::drop_attribute,   &Mutator::add_attribute,
      &Mutator::change_operator,    &Mutator::change_operator,  &Mutator::drop_node,
      &Mutator::double_node,        &Mutator::swap_nodes,       &Mutator::change_dimension,
      &Mutator::change_rank,        &Mutator::change_type,      &Mutator::change_contents,
      &Mutator::change_contents,    &Mutator::change_opset,     &Mutator::change_graph_outputs,
      &Mutator::change_graph_inputs};
  std::string out;
  const uint64_t wanted = 1 + rng_.below(3);
  for (uint64_t made = 0, attempts = 0; made < wanted && attempts < 32; attempts++) {
    choose_graph();
    if (graph().node_size() == 0) break;
    const std::string what = (this->*any(kChanges))();
    if (what.empty()) continue;
    out += cat(made++ ? "; " : "", what);
  }
  return out;
}

}  // namespace

Mutant mutate_model(std::string_view model, uint64_t seed) {
  onnx::ModelProto proto;
  google::protobuf::SetLogHandler(nullptr);
  if (!proto.ParseFromArray(model.data(), static_cast<int>(model.size()))) return {std::string(model), ""};
  std::string changes = Mutator(proto, hash_mix(seed, 0x6d7574616e74)).run();
  return {proto.SerializeAsString(), std::move(changes)};
}

}  // namespace hone::mutants
