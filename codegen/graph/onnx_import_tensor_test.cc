// Tensors of less than 8 bits and of floats of 8, as ONNX's files hold them.
#include <gtest/gtest.h>

#include <cmath>

#include "codegen/graph/onnx_import.h"
#include "codegen/graph/onnx_import_models.h"

namespace hone::graph {
namespace {

onnx::TensorProto proto(int type, int64_t elements) {
  onnx::TensorProto out;
  out.set_data_type(type);
  out.add_dims(elements);
  return out;
}

std::vector<double> numbers(const onnx::TensorProto& t, DType expected) {
  const auto tensor = tensor_from_onnx(t.SerializeAsString());
  EXPECT_TRUE(tensor.ok()) << (tensor.ok() ? "" : tensor.error().message);
  if (!tensor.ok()) return {};
  EXPECT_EQ(tensor->dtype, expected);
  return to_doubles(*tensor);
}

// Given elements that share bytes, in raw_data and in int32_data, when read, then the first lies in the lowest bits, and each has its sign.
TEST(PackedTensor, FirstElementInTheLowestBits) {
  onnx::TensorProto fours = proto(22, 3), unsigned_fours = proto(21, 3), floats = proto(23, 3), twos = proto(26, 5), unsigned_twos = proto(25, 5);
  for (onnx::TensorProto* t : {&fours, &floats}) t->set_raw_data("\x91\x0f");
  for (int byte : {0x91, 0x0f}) unsigned_fours.add_int32_data(byte);
  for (onnx::TensorProto* t : {&twos, &unsigned_twos}) t->set_raw_data("\xe4\x02");
  EXPECT_EQ(numbers(fours, DType::kI4), (std::vector<double>{1, -7, -1}));
  EXPECT_EQ(numbers(unsigned_fours, DType::kU4), (std::vector<double>{1, 9, 15}));
  EXPECT_EQ(numbers(floats, DType::kF4E2M1), (std::vector<double>{0.5, -0.5, -6}));
  EXPECT_EQ(numbers(twos, DType::kI2), (std::vector<double>{0, 1, -2, -1, -2}));
  EXPECT_EQ(numbers(unsigned_twos, DType::kU2), (std::vector<double>{0, 1, 2, 3, 2}));
}

// Given floats of 8 bits in either field, when read, then each byte is one.
TEST(PackedTensor, FloatsOfEightBits) {
  onnx::TensorProto t = proto(17, 2), powers = proto(24, 2);
  for (int byte : {0x38, 0xb8}) t.add_int32_data(byte);
  powers.set_raw_data("\x7f\x82");
  EXPECT_EQ(numbers(t, DType::kF8E4M3FN), (std::vector<double>{1, -1}));
  EXPECT_EQ(numbers(powers, DType::kF8E8M0), (std::vector<double>{1, 8}));
}

// Given a byte too few or too many, when read, then the tensor is refused with both counts.
TEST(PackedTensor, OtherSizesAreRefused) {
  for (const char* bytes : {"\x11", "\x11\x22\x33"}) {
    onnx::TensorProto t = proto(22, 3);
    t.set_raw_data(bytes);
    const auto refused = tensor_from_onnx(t.SerializeAsString());
    ASSERT_FALSE(refused.ok());
    EXPECT_NE(refused.error().message.find("expected 2"), std::string::npos) << refused.error().message;
  }
}

// Given a constant of each small type, when written and read as numbers, then they are the same; others become the nearest, within the type.
TEST(PackedTensor, NumbersComeBack) {
  const auto held = [](DType dtype, const std::vector<double>& values) { return to_doubles(from_doubles(dtype, {static_cast<int64_t>(values.size())}, values)); };
  EXPECT_EQ(held(DType::kI4, {-8, 7, 100, -100}), (std::vector<double>{-8, 7, 7, -8}));
  EXPECT_EQ(held(DType::kU2, {3, 9, -1}), (std::vector<double>{3, 3, 0}));
  EXPECT_EQ(held(DType::kF8E5M2, {1e6, INFINITY, 1.1}), (std::vector<double>{57344, INFINITY, 1}));
  EXPECT_EQ(held(DType::kF16, std::vector<double>(70000, 0.1)), std::vector<double>(70000, 0.0999755859375));
}

}  // namespace
}  // namespace hone::graph
