#include "codegen/emit/llvm/wasm_link.h"

#include <gtest/gtest.h>

namespace hone::emit {
namespace {

using std::string_literals::operator""s;

std::string named(const std::string& bytes) { return static_cast<char>(bytes.size()) + bytes; }
std::string section(char id, const std::string& content) { return id + named(content); }
std::string custom(const std::string& name, const std::string& content) { return section(0, named(name) + content); }

const std::string kMagic = "\0asm\1\0\0\0"s;
const std::string kTypes = section(1, "\1\x60\0\0"s);                                                 // () -> ()
const std::string kMemory = section(2, "\1"s + named("env") + named("__linear_memory") + "\2\0\0"s);  // no maximum
const std::string kFunctions = section(3, "\1\0"s);
const std::string kCode = section(10, "\1\2\0\x0b"s);  // one empty body
// One function symbol, defined, of index 0.
const std::string kSymbols = custom("linking", "\2\x8"s + named("\1\0\0\0"s + named("launch")));

std::string object(const std::string& extra = "", const std::string& symbols = kSymbols) {
  return kMagic + kTypes + kMemory + kFunctions + kCode + extra + symbols;
}

const WasmLinkOptions kOptions{.exports = {{"launch", "main"}}};

std::string refusal(const std::string& bytes, const WasmLinkOptions& options = kOptions) {
  const auto linked = wasm_link(bytes, options);
  if (linked.ok()) return "";
  EXPECT_EQ(linked.error().code, ErrorCode::kInternal);
  return linked.error().message;
}

// Given an object with symbols and relocations that are final, when linked, then what remains is the module: memory renamed, entry
// exported, custom sections gone.
TEST(WasmLink, Module) {
  const auto linked = wasm_link(object(custom("reloc.CODE", "\4\1\0\3\0"s) + custom("producers", "x")), kOptions);
  ASSERT_TRUE(linked.ok()) << linked.error().message;
  const std::string memory = section(2, "\1"s + named("env") + named("memory") + "\2\0\1"s);
  EXPECT_EQ(*linked, kMagic + kTypes + memory + kFunctions + section(7, "\1"s + named("main") + "\0\0"s) + kCode);
}

// Given shared memory is wanted, when linked, then the import says so, with a maximum.
TEST(WasmLink, SharedMemory) {
  WasmLinkOptions options = kOptions;
  options.shared_memory = true;
  options.pages_max = 100;
  const auto linked = wasm_link(object(), options);
  ASSERT_TRUE(linked.ok()) << linked.error().message;
  EXPECT_NE(linked->find(named("memory") + "\2\3\1\x64"s), std::string::npos);
}

// Given bytes that a kernel's object never is, when linked, then each is refused with its reason.
TEST(WasmLink, Refusals) {
  EXPECT_EQ(refusal(object()), "");
  EXPECT_NE(refusal("elf").find("no object"), std::string::npos);
  EXPECT_NE(refusal(object(section(11, "\1\0"s))).find("data segments"), std::string::npos);
  EXPECT_NE(refusal(object(custom("reloc.CODE", "\4\1\3\3\0\0"s))).find("relocation of type 3"), std::string::npos);
  EXPECT_NE(refusal(object(custom("reloc.DATA", ""))).find("reloc.DATA"), std::string::npos);
  EXPECT_NE(refusal(object("", "")).find("no function launch"), std::string::npos);
  EXPECT_NE(refusal(object("", custom("linking", "\3"s))).find("version 3"), std::string::npos);
  const std::string stack = section(2, "\1"s + named("env") + named("__stack_pointer") + "\3\x7f\1"s);
  EXPECT_NE(refusal(kMagic + kTypes + stack + kFunctions + kCode + kSymbols).find("__stack_pointer"),
            std::string::npos);
}

// Given an object cut short anywhere, when linked, then it is refused and nothing beyond its end is read.
TEST(WasmLink, Truncation) {
  const std::string whole = object();
  for (size_t length = 0; length < whole.size(); ++length) EXPECT_NE(refusal(whole.substr(0, length)), "") << length;
}

}  // namespace
}  // namespace hone::emit
