// Constants that the file has as sparse tensors.
#include <gtest/gtest.h>

#include "codegen/graph/onnx_import.h"
#include "codegen/graph/onnx_import_models.h"

namespace hone::graph {
namespace {

std::string dims(const std::vector<int64_t>& extents) {
  std::string out;
  for (int64_t d : extents) out += cat("dims: ", d, " ");
  return out;
}
std::string numbers(const std::string& field, const std::vector<int64_t>& values) {
  std::string out;
  for (int64_t v : values) out += cat(field, ": ", v, " ");
  return out;
}
// The body of a SparseTensorProto called 'w'.
std::string sparse(const std::vector<int64_t>& values, const std::vector<int64_t>& indices, const std::vector<int64_t>& index_dims,
                   const std::vector<int64_t>& shape) {
  return cat("values { name: 'w' data_type: 1 ", dims({static_cast<int64_t>(values.size())}), numbers("float_data", values),
             "} indices { data_type: 7 ", dims(index_dims), numbers("int64_data", indices), "} ", dims(shape));
}

// The elements of 'w', or why the model was refused.
std::string read_w(const std::string& body) {
  const auto graph = graph_from_onnx(model_bytes(input("x", dim(1)) + body + node("Add", {"x", "w"}, "y") + output("y")), {});
  if (!graph.ok()) return graph.error().message;
  std::string out;
  for (const Value& v : graph->values)
    if (v.constant)
      for (double e : to_doubles({v.dtype, v.shape, v.bytes})) out += cat(static_cast<int>(e), " ");
  return out;
}
std::string initialiser(const std::string& body) { return cat("sparse_initializer { ", body, " } "); }

// Given a sparse initialiser with places of elements, one with indices by axis, and a sparse Constant, when imported, then they are dense.
TEST(Sparse, IsMadeDense) {
  EXPECT_EQ(read_w(initialiser(sparse({5, 7}, {1, 5}, {2}, {2, 3}))), "0 5 0 0 0 7 ");
  EXPECT_EQ(read_w(initialiser(sparse({5, 7}, {0, 1, 1, 2}, {2, 2}, {2, 3}))), "0 5 0 0 0 7 ");
  EXPECT_EQ(read_w(initialiser(sparse({}, {}, {0}, {3}))), "0 0 0 ");
  EXPECT_EQ(read_w(node("Constant", {}, "w", cat("attribute { name: 'sparse_value' type: SPARSE_TENSOR sparse_tensor { ",
                                                 sparse({5}, {2}, {1}, {4}), " } } "))),
            "0 0 5 0 ");
}

// Given indices that lie outside, are too few or of other shapes, or a shape that is beyond what a file may ask for, when imported, then one sentence
// says so.
TEST(Sparse, WhatIsNone) {
  EXPECT_SAYS(read_w(initialiser(sparse({5}, {6}, {1}, {2, 3}))), "outside of its shape");
  EXPECT_SAYS(read_w(initialiser(sparse({5}, {-1}, {1}, {2, 3}))), "outside of its shape");
  EXPECT_SAYS(read_w(initialiser(sparse({5}, {1, 3}, {1, 2}, {2, 3}))), "outside of its shape");
  EXPECT_SAYS(read_w(initialiser(sparse({5, 7}, {1}, {1}, {2, 3}))), "expected int64");
  EXPECT_SAYS(read_w(initialiser(sparse({5}, {1, 1, 1}, {1, 3}, {2, 3}))), "expected int64");
  EXPECT_SAYS(read_w(initialiser(sparse({5}, {1}, {1}, {1 << 15, 1 << 15}))), "as dense ones");
  EXPECT_SAYS(read_w(initialiser(sparse({5}, {1}, {1}, {int64_t{1} << 40}))), "32 bits");
}

}  // namespace
}  // namespace hone::graph
