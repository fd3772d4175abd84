#include "codegen/emit/llvm/wasm_link.h"

#include <algorithm>
#include <unordered_map>

#include "base/cat.h"

namespace hone::emit {
namespace {

enum SectionId : uint8_t {
  kCustom = 0,
  kType = 1,
  kImport = 2,
  kFunction = 3,
  kExport = 7,
  kElement = 9,
  kCode = 10,
  kData = 11,
  kDataCount = 12
};
enum ImportKind : uint8_t { kImportFunction = 0, kImportTable = 1, kImportMemory = 2, kImportGlobal = 3 };
enum SymbolKind : uint8_t {
  kSymbolFunction = 0,
  kSymbolData = 1,
  kSymbolGlobal = 2,
  kSymbolSection = 3,
  kSymbolTag = 4,
  kSymbolTable = 5
};
enum Relocation : uint8_t { kFunctionIndex = 0, kTypeIndex = 6, kGlobalIndex = 7 };
constexpr uint8_t kSymbolTableEntry = 8;  // subsection of "linking"
constexpr uint32_t kUndefined = 0x10, kExplicitName = 0x40;
constexpr uint32_t kLinkingVersion = 2;
constexpr std::string_view kMagic{"\0asm\1\0\0\0", 8};

// Bytes read in order. Beyond the end everything is zero and `ok` is false.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}
  bool ok() const { return ok_; }
  bool at_end() const { return at_ >= bytes_.size(); }

  uint8_t byte() {
    if (at_ < bytes_.size()) return static_cast<uint8_t>(bytes_[at_++]);
    ok_ = false;
    return 0;
  }
  uint32_t leb() {
    uint64_t value = 0;
    for (int shift = 0; shift < 35; shift += 7) {
      const uint8_t b = byte();
      value |= static_cast<uint64_t>(b & 0x7f) << shift;
      if (!(b & 0x80)) return static_cast<uint32_t>(value);
    }
    ok_ = false;
    return 0;
  }
  std::string_view take(uint32_t count) {
    if (count > bytes_.size() - at_) {
      ok_ = false;
      count = static_cast<uint32_t>(bytes_.size() - at_);
    }
    at_ += count;
    return bytes_.substr(at_ - count, count);
  }
  std::string_view name() { return take(leb()); }
  void limits() {
    const uint8_t flags = byte();
    leb();
    if (flags & 1) leb();
  }

 private:
  std::string_view bytes_;
  size_t at_ = 0;
  bool ok_ = true;
};

void put_leb(std::string& out, uint32_t value) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>((value & 0x7f) | 0x80);
  out += static_cast<char>(value);
}
void put_name(std::string& out, std::string_view name) {
  put_leb(out, static_cast<uint32_t>(name.size()));
  out += name;
}
void put_section(std::string& out, SectionId id, std::string_view content) {
  out += static_cast<char>(id);
  put_name(out, content);
}

class Linker {
 public:
  explicit Linker(const WasmLinkOptions& options) : options_(options) {}

  Result<std::string> run(std::string_view object) {
    if (object.substr(0, kMagic.size()) != kMagic)
      return refusal("no object: its first bytes are not those of WebAssembly 1");
    Reader in(object.substr(kMagic.size()));
    while (in.ok() && !in.at_end() && error_.empty()) {
      const uint8_t id = in.byte();
      section(id, in.name());
    }
    if (!in.ok()) return refusal("an object that ends early");
    for (const WasmExport& wanted : options_.exports) add_export(wanted);
    if (!error_.empty()) return refusal(error_);
    return module();
  }

 private:
  static Error refusal(const std::string& what) {
    return {ErrorCode::kInternal, cat("a kernel's object cannot be linked; found ", what)};
  }
  void refuse(std::string what) {
    if (error_.empty()) error_ = std::move(what);
  }

  void section(uint8_t id, std::string_view content) {
    Reader in(content);
    switch (id) {
      case kCustom:
        custom(in);
        break;
      case kImport:
        imports(in);
        break;
      case kElement:
      case kData:
        if (in.leb() != 0) refuse(cat(id == kData ? "data" : "element", " segments: constants must be immediates"));
        break;
      case kType:
      case kFunction:
      case kCode:
        kept_[id] = content;
        break;
      case kDataCount:
        break;
      default:
        refuse(cat("a section with the id ", static_cast<int>(id)));
        break;
    }
    if (!in.ok()) refuse(cat("a section with the id ", static_cast<int>(id), " that ends early"));
  }

  void imports(Reader& in) {
    for (uint32_t left = in.leb(); left > 0 && in.ok(); --left) {
      const std::string_view from = in.name(), name = in.name();
      const uint8_t kind = in.byte();
      if (kind == kImportMemory) {
        in.limits();
        memory_import();
        continue;
      }
      if (kind != kImportFunction)
        return refuse(cat("the import ", name, ", which is neither a function nor the memory"));
      put_name(imports_, from);
      put_name(imports_, name);
      imports_ += static_cast<char>(kImportFunction);
      put_leb(imports_, in.leb());
      ++import_count_;
    }
  }

  void memory_import() {
    put_name(imports_, "env");
    put_name(imports_, "memory");
    imports_ += static_cast<char>(kImportMemory);
    imports_ += static_cast<char>(options_.shared_memory ? 3 : 0);  // bit 0: a maximum follows; bit 1: shared
    put_leb(imports_, options_.pages_min);
    if (options_.shared_memory) put_leb(imports_, options_.pages_max);
    ++import_count_;
  }

  void custom(Reader& in) {
    const std::string_view name = in.name();
    if (name == "linking") return linking(in);
    if (name.substr(0, 6) != "reloc." || name == "reloc..debug_info") return;
    if (name != "reloc.CODE") return refuse(cat("relocations in ", name));
    in.leb();  // the section's number
    for (uint32_t left = in.leb(); left > 0 && in.ok(); --left) {
      const uint8_t type = in.byte();
      in.leb();  // offset
      in.leb();  // symbol or type
      if (type != kFunctionIndex && type != kTypeIndex && type != kGlobalIndex)
        return refuse(cat("a relocation of type ", static_cast<int>(type), ", which needs an address"));
    }
  }

  void linking(Reader& in) {
    if (const uint32_t version = in.leb(); version != kLinkingVersion)
      return refuse(cat("linking data of version ", version));
    while (in.ok() && !in.at_end()) {
      const uint8_t type = in.byte();
      const std::string_view entry = in.name();
      if (type == kSymbolTableEntry) symbols(entry);
    }
  }

  void symbols(std::string_view content) {
    Reader in(content);
    for (uint32_t left = in.leb(); left > 0 && in.ok(); --left) {
      const uint8_t kind = in.byte();
      const uint32_t flags = in.leb();
      if (kind == kSymbolData) return refuse("a symbol of data");
      const uint32_t index = in.leb();
      if (kind == kSymbolSection) continue;
      const bool has_name = !(flags & kUndefined) || (flags & kExplicitName);
      const std::string_view name = has_name ? in.name() : std::string_view();
      if (kind == kSymbolFunction && !(flags & kUndefined)) functions_[std::string(name)] = index;
    }
    if (!in.ok()) refuse("a symbol table that ends early");
  }

  void add_export(const WasmExport& wanted) {
    const auto found = functions_.find(wanted.symbol);
    if (found == functions_.end()) return refuse(cat("no function ", wanted.symbol));
    put_name(exports_, wanted.name);
    exports_ += static_cast<char>(kImportFunction);  // exports name kinds as imports do
    put_leb(exports_, found->second);
  }

  static std::string counted(uint32_t count, const std::string& entries) {
    std::string out;
    put_leb(out, count);
    return out + entries;
  }

  std::string module() const {
    std::string out(kMagic);
    put_section(out, kType, kept_[kType]);
    put_section(out, kImport, counted(import_count_, imports_));
    put_section(out, kFunction, kept_[kFunction]);
    put_section(out, kExport, counted(static_cast<uint32_t>(options_.exports.size()), exports_));
    put_section(out, kCode, kept_[kCode]);
    return out;
  }

  const WasmLinkOptions& options_;
  std::string_view kept_[kDataCount + 1];
  std::string imports_, exports_, error_;
  uint32_t import_count_ = 0;
  std::unordered_map<std::string, uint32_t> functions_;
};

}  // namespace

Result<std::string> wasm_link(std::string_view object, const WasmLinkOptions& options) {
  return Linker(options).run(object);
}

}  // namespace hone::emit
