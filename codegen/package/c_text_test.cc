#include "codegen/package/c_text.h"

#include <gtest/gtest.h>

namespace hone::package {
namespace {

TEST(CText, NamesBecomeIdentifiers) {
  // Given names of models and values, when made identifiers, then they are letters, digits and single _, begin with a letter, and are never empty.
  EXPECT_EQ(c_identifier("Plus214_Output_0"), "plus214_output_0");
  EXPECT_EQ(c_identifier("onnx::Conv__12"), "onnx_conv_12");
  EXPECT_EQ(c_identifier("495"), "x495");
  EXPECT_EQ(c_identifier("_a-b"), "a_b");
  EXPECT_EQ(c_identifier("日本"), "x");
  EXPECT_EQ(c_identifier(""), "x");
}

TEST(CText, NamesDiffer) {
  // Given names that are equal as identifiers, taken, or keywords, when added, then all differ, and none is taken or a keyword.
  CNames names({"open"});
  EXPECT_EQ(names.add("a.b"), "a_b");
  EXPECT_EQ(names.add("a/b"), "a_b_2");
  EXPECT_EQ(names.add("A_B"), "a_b_3");
  EXPECT_EQ(names.add("open"), "open_2");
  EXPECT_EQ(names.add("float"), "float_2");
  EXPECT_EQ(names.add("class"), "class_2");
}

TEST(CText, AnExportIsNotNamedAsItsSources) {
  // Given a folder that is named as what the C sources of all exports begin with, when an export gets its name, then it is another.
  EXPECT_EQ(native_name("hone"), "hone_1");
  EXPECT_EQ(native_name("Resnet-18"), "resnet_18");
}

TEST(CText, StringsHoldAnything) {
  // Given quotes, line ends, trigraphs and bytes beyond ASCII, when made a literal, then they are escaped, and a digit behind them stays one.
  EXPECT_EQ(c_string("plain */ text"), "\"plain */ text\"");
  EXPECT_EQ(c_string("a\"b\\c\n1"), R"("a\042b\134c\0121")");
  EXPECT_EQ(c_string("?"
                     "?/"),
            R"("\077\077/")");
  EXPECT_EQ(c_string("\xc3\xa9"), R"("\303\251")");
}

TEST(CText, PatternsAreFilledOnce) {
  // Given a pattern, when filled, then each key has its text, and what looks like a key within a text stays.
  EXPECT_EQ(filled("@a@_open(@b@@a@);", {{"a", "x"}, {"b", "@a@"}}), "x_open(@a@x);");
  EXPECT_EQ(filled("${plain}", {}), "${plain}");
}

}  // namespace
}  // namespace hone::package
