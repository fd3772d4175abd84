// Models whose tensors lie beside them.
#include "codegen/graph/onnx_import_external.h"

#include <gtest/gtest.h>

#include "codegen/graph/onnx_import_models.h"

namespace hone::graph {
namespace {

// y = x + w, where w's elements lie outside; `entries` are pairs of external_data.
std::string model_beside(const std::vector<std::pair<std::string, std::string>>& entries) {
  std::string data;
  for (const auto& [key, value] : entries) data += cat("external_data { key: '", key, "' value: '", value, "' } ");
  return model_bytes(input("x", dim(2)) +
                     cat("initializer { name: 'w' data_type: 1 dims: 2 data_location: EXTERNAL ", data, "} ") +
                     node("Add", {"x", "w"}, "y") + output("y"));
}

Result<std::string> inside(const std::string& bytes, FilePart* asked = nullptr) {
  return with_elements_inside(bytes, [&](const FilePart& part) -> Result<SharedBytes> {
    if (asked) *asked = part;
    return shared_bytes(std::string(8, '\0'));
  });
}

// Given a tensor in a part of a file, when it is put inside, then that part is asked for, and the model is one that hone accepts.
TEST(External, IsPutInside) {
  FilePart asked;
  const std::string bytes =
      model_beside({{"location", "data/w.bin"}, {"offset", "16"}, {"length", "8"}, {"checksum", "0"}});
  EXPECT_SAYS(message_of(bytes, ErrorCode::kUnsupported), "in a file of its own");
  const auto whole = inside(bytes, &asked);
  ASSERT_TRUE(whole.ok()) << whole.error().message;
  EXPECT_EQ(asked.name, "data/w.bin");
  EXPECT_EQ(asked.offset, 16);
  EXPECT_EQ(asked.length, 8);
  EXPECT_EQ(message_of(*whole, ErrorCode::kUnsupported), "accepted");
  ASSERT_TRUE(inside(model_beside({{"location", "w..bin"}}), &asked).ok());
  EXPECT_EQ(asked.offset, 0);
  EXPECT_FALSE(asked.length.has_value());
}

// Given a model that has its tensors inside, or bytes that are none, when asked, then they come back and nothing is read.
TEST(External, NothingOutside) {
  const std::string sound = model_bytes(input("location", dim(2)) + node("Relu", {"location"}, "y") + output("y"));
  for (const std::string& bytes : {sound, std::string("location of nothing"), std::string()}) {
    const auto same = with_elements_inside(bytes, [](const FilePart&) -> Result<SharedBytes> {
      ADD_FAILURE() << "read";
      return shared_bytes("");
    });
    ASSERT_TRUE(same.ok());
    EXPECT_EQ(*same, bytes);
  }
}

// Given a path that leads elsewhere, or a part that is none, when asked, then nothing is read and the error says what was expected.
TEST(External, PathsThatLeadElsewhere) {
  for (const char* path : {"", "/etc/passwd", "../w.bin", "a/../../w.bin", "a/..", "C:w.bin", "a\\\\..\\\\w.bin"}) {
    FilePart asked;
    const auto refused = inside(model_beside({{"location", path}}), &asked);
    ASSERT_FALSE(refused.ok()) << path;
    EXPECT_EQ(refused.error().code, ErrorCode::kBadModel);
    EXPECT_SAYS(refused.error().message, "expected the name of a file beside the model");
    EXPECT_EQ(asked.name, "");
  }
  for (const char* number : {"-1", "", "8 ", "99999999999999999999"}) {
    const auto refused = inside(model_beside({{"location", "w.bin"}, {"length", number}}));
    ASSERT_FALSE(refused.ok()) << number;
    EXPECT_SAYS(refused.error().message, "expected a number of bytes");
  }
  const auto large = inside(model_beside({{"location", "w.bin"}, {"length", "3000000000"}}));
  ASSERT_FALSE(large.ok());
  EXPECT_EQ(large.error().code, ErrorCode::kLimitExceeded);
}

}  // namespace
}  // namespace hone::graph
