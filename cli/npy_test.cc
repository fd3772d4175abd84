#include "cli/npy.h"

#include <gtest/gtest.h>

#include "base/cat.h"

namespace hone::cli {
namespace {

using graph::DType;

// A file as numpy.save writes it, with any header.
std::string file(std::string header, const std::string& data, char version = 1) {
  header.resize(117, ' ');
  header += '\n';
  std::string out = cat(std::string("\x93NUMPY"), version, '\0');
  out += static_cast<char>(header.size());
  out += version == 1 ? std::string(1, '\0') : std::string(3, '\0');
  return out + header + data;
}

std::string refused(const std::string& bytes, ErrorCode code) {
  const auto tensor = tensor_from_npy(bytes);
  if (tensor.ok()) return "accepted";
  EXPECT_EQ(tensor.error().code, code);
  return tensor.error().message;
}

TEST(Npy, WhatIsWrittenIsReadBack) {
  // Given tensors of every type and of ranks 0 to 3, when written and read, then they are the same and the data is aligned as NumPy does.
  for (DType dtype : {DType::kF32, DType::kF64, DType::kF16, DType::kI64, DType::kI32, DType::kU8, DType::kBool})
    for (const ir::Shape& shape : {ir::Shape{}, ir::Shape{3}, ir::Shape{2, 3}, ir::Shape{1, 2, 2}, ir::Shape{0, 4}}) {
      const auto count = static_cast<size_t>(ir::element_count(shape));
      const auto tensor = graph::from_doubles(dtype, shape, std::vector<double>(count, 1));
      const std::string bytes = npy_from_tensor(tensor);
      EXPECT_EQ((bytes.size() - tensor.bytes->size()) % 64, 0u);
      const auto again = tensor_from_npy(bytes);
      ASSERT_TRUE(again.ok()) << again.error().message;
      EXPECT_EQ(again->dtype, dtype);
      EXPECT_EQ(again->shape, shape);
      EXPECT_EQ(*again->bytes, *tensor.bytes);
    }
}

TEST(Npy, TypesThatNumPyLacksBecomeWider) {
  // Given tensors of types that models alone have, when written, then the file holds the same numbers as float32, int8 or uint8.
  const auto read_back = [](DType dtype) {
    const auto tensor = tensor_from_npy(npy_from_tensor(graph::from_doubles(dtype, {2}, {1, 3})));
    EXPECT_EQ(graph::to_doubles(*tensor), (std::vector<double>{1, 3}));
    return tensor->dtype;
  };
  EXPECT_EQ(read_back(DType::kBF16), DType::kF32);
  EXPECT_EQ(read_back(DType::kF8E4M3FNUZ), DType::kF32);
  EXPECT_EQ(read_back(DType::kI4), DType::kI8);
  EXPECT_EQ(read_back(DType::kU2), DType::kU8);
}

TEST(Npy, ReadsNumPysOwnHeadersAndRefusesWhatItCannot) {
  // Given headers as NumPy writes them, when read, then a good one of each version passes, and a bad one is refused with its reason.
  const std::string data(8, '\0');
  const std::string good = "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }";
  EXPECT_EQ(refused(file(good, data), ErrorCode::kOk), "accepted");
  EXPECT_EQ(refused(file(good, data, 2), ErrorCode::kOk), "accepted");
  EXPECT_NE(refused(file("{'descr': '<f4', 'fortran_order': True, 'shape': (2,), }", data), ErrorCode::kUnsupported)
                .find("Fortran"),
            std::string::npos);
  EXPECT_NE(refused(file("{'descr': '>f4', 'fortran_order': False, 'shape': (2,), }", data), ErrorCode::kUnsupported)
                .find(">f4"),
            std::string::npos);
  EXPECT_NE(refused(file("{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }", data), ErrorCode::kParseError)
                .find("12 bytes"),
            std::string::npos);
  EXPECT_NE(refused(file("{'descr': '<f4'}", data), ErrorCode::kParseError).find("lacks"), std::string::npos);
  EXPECT_NE(refused("PK\x03\x04 an archive", ErrorCode::kParseError).find("begin"), std::string::npos);
  EXPECT_NE(refused("", ErrorCode::kParseError).find("begin"), std::string::npos);
}

}  // namespace
}  // namespace hone::cli
