#include "codegen/graph/onnx_wire.h"

#include <gtest/gtest.h>

#include "base/cat.h"

namespace hone::graph {
namespace {

using namespace std::string_literals;

// "1:varint=150 2:bytes=abc", and "!" where the bytes end in no sound field.
std::string fields_of(std::string_view bytes) {
  std::string out;
  WireReader reader(bytes);
  for (WireField f; reader.next(f);)
    out += cat(out.empty() ? "" : " ", f.number, ":", static_cast<int>(f.type), "=", f.type == WireType::kBytes ? std::string(f.bytes) : cat(f.value));
  return reader.is_sound() ? out : out + "!";
}

// Given one field of each type, when read, then numbers and values are those of the format.
TEST(Wire, Fields) {
  EXPECT_EQ(fields_of(""), "");
  EXPECT_EQ(fields_of("\x08\x96\x01"s), "1:0=150");
  EXPECT_EQ(fields_of("\x12\x03""abc"s), "2:2=abc");
  EXPECT_EQ(fields_of("\x1d\x01\x00\x00\x80"s), "3:5=2147483649");
  EXPECT_EQ(fields_of("\x21\x02\x00\x00\x00\x00\x00\x00\x00\x2a\x00"s), "4:1=2 5:2=");
  EXPECT_EQ(fields_of("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"s), "1:0=18446744073709551615");
}

// Given bytes that are cut off, have a length beyond them, a number that does not end, a group, or a type or number that there is not, when read, then
// the reader stops there and says so.
TEST(Wire, WhatIsNotSound) {
  const std::string whole = "\x08\x96\x01\x12\x03""abc\x1d\x01\x00\x00\x80\x21\x02\x00\x00\x00\x00\x00\x00\x00"s;
  const std::vector<size_t> ends{0, 3, 8, 13, 22};
  for (size_t length = 0; length <= whole.size(); length++) {
    const bool at_end = std::find(ends.begin(), ends.end(), length) != ends.end();
    EXPECT_EQ(fields_of(whole.substr(0, length)).find('!') == std::string::npos, at_end) << length;
  }
  EXPECT_EQ(fields_of("\x12\x80\x80\x80\x80\x80\x20""abc"s), "!");  // a length of 2^40
  EXPECT_EQ(fields_of("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"s), "!");
  EXPECT_EQ(fields_of("\x0b\x0c"s), "!");  // a group
  EXPECT_EQ(fields_of("\x0e\x01"s), "!");
  EXPECT_EQ(fields_of("\x00\x01"s), "!");
  EXPECT_EQ(fields_of("\x80\x80\x80\x80\x10\x01"s), "!");  // field 2^29
}

// Given repeated numbers, packed, one by one and mixed, when appended, then they come in the file's order; a run that is cut is refused, and so is a value
// of another type.
TEST(Wire, RepeatedNumbers) {
  const auto integers = [](std::string_view bytes, std::vector<int64_t>& out) {
    bool sound = true;
    WireReader reader(bytes);
    for (WireField f; reader.next(f);) sound = sound && append_field(f, out);
    return sound && reader.is_sound();
  };
  std::vector<int64_t> numbers;
  EXPECT_TRUE(integers("\x0a\x03\x01\x96\x01\x08\x05\x0a\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"s, numbers));
  EXPECT_EQ(numbers, (std::vector<int64_t>{1, 150, 5, -1}));
  EXPECT_FALSE(integers("\x0a\x02\x01\x96"s, numbers));
  EXPECT_FALSE(integers("\x0d\x01\x00\x00\x00"s, numbers));
  std::vector<float> floats;
  EXPECT_TRUE(append_field({1, WireType::kBytes, 0, "\0\0\x80\x3f\0\0\0\x40"s}, floats));
  EXPECT_TRUE(append_field({1, WireType::kFixed32, 0x3f000000, {}}, floats));
  EXPECT_EQ(floats, (std::vector<float>{1, 2, 0.5}));
  EXPECT_FALSE(append_field({1, WireType::kBytes, 0, "\0\0\x80\x3f\0"s}, floats));
}

}  // namespace
}  // namespace hone::graph
