#include "codegen/graph/onnx_import_external.h"

#include <charconv>
#include <limits>

#include "base/cat.h"
#include "codegen/graph/limits.h"
#include "codegen/graph/onnx_wire.h"
#include "codegen/te/bad_model.h"

namespace hone::graph {
namespace {

constexpr int64_t kModelBytesMax = std::numeric_limits<int>::max();  // protobuf's limit of a message

bool leads_elsewhere(std::string_view path) {
  if (path.empty() || path.front() == '/' || path.find_first_of(std::string_view("\\:\0", 3)) != std::string::npos)
    return true;
  for (size_t begin = 0; begin <= path.size();) {
    const size_t end = std::min(path.find('/', begin), path.size());
    if (path.substr(begin, end - begin) == "..") return true;
    begin = end + 1;
  }
  return false;
}

Result<int64_t> bytes_of(std::string_view text, const std::string& what) {
  int64_t value = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && rest == text.data() + text.size() && value >= 0) return value;
  return te::bad_model(cat(what, " is '", text, "'; expected a number of bytes"));
}

// The messages in which tensors stand.
enum class Part : uint8_t { kOther, kModel, kFunction, kGraph, kNode, kAttribute, kSparseTensor, kTensor };

Part part_within(Part outer, uint32_t number) {
  switch (outer) {
    case Part::kModel:
      return number == 7 ? Part::kGraph : number == 25 ? Part::kFunction : Part::kOther;
    case Part::kFunction:
      return number == 7 ? Part::kNode : number == 11 ? Part::kAttribute : Part::kOther;
    case Part::kGraph:
      return number == 1 ? Part::kNode : number == 5 ? Part::kTensor : number == 15 ? Part::kSparseTensor : Part::kOther;
    case Part::kNode:
      return number == 5 ? Part::kAttribute : Part::kOther;
    case Part::kAttribute:
      return number == 5 || number == 10   ? Part::kTensor
             : number == 6 || number == 11 ? Part::kGraph
             : number == 22                ? Part::kSparseTensor
                                           : Part::kOther;
    case Part::kSparseTensor:
      return number == 1 || number == 2 ? Part::kTensor : Part::kOther;
    default:
      return Part::kOther;
  }
}

constexpr uint32_t kRawData = 9, kExternalData = 13, kDataLocation = 14;  // of TensorProto

void put_varint(uint64_t value, std::string& out) {
  for (; value >= 128; value >>= 7) out += static_cast<char>(value | 128);
  out += static_cast<char>(value);
}

void put_field(uint32_t number, std::string_view bytes, std::string& out) {
  put_varint(uint64_t{number} << 3 | static_cast<uint64_t>(WireType::kBytes), out);
  put_varint(bytes.size(), out);
  out += bytes;
}

class Inliner {
 public:
  explicit Inliner(const ReadFilePart& read) : read_(read) {}

  // Appends the message with its tensors' elements inside.
  Status put(Part part, std::string_view bytes, int depth, std::string& out) {
    if (part == Part::kTensor) return put_tensor(bytes, out);
    if (part == Part::kOther || depth > static_cast<int>(kNestingMax)) return out += bytes, ok_status();
    WireReader reader(bytes);
    std::string_view before = bytes;
    for (WireField field; reader.next(field); before = reader.rest()) {
      const Part inner = part_within(part, field.number);
      if (inner == Part::kOther || field.type != WireType::kBytes) {
        out += before.substr(0, before.size() - reader.rest().size());
        continue;
      }
      std::string whole;
      HONE_TRY(put(inner, field.bytes, depth + 1, whole));
      put_field(field.number, whole, out);
      HONE_TRY(check_size(static_cast<int64_t>(out.size())));
    }
    return ok_status();
  }

 private:
  Status put_tensor(std::string_view bytes, std::string& out) {
    const auto tensor = parse_onnx_tensor(bytes);
    if (!tensor.ok() || !tensor->is_external) return out += bytes, ok_status();
    HONE_ASSIGN(part, part_of(*tensor));
    HONE_TRY(check_size(part.length.value_or(0)));
    HONE_ASSIGN(elements, read_(part));
    HONE_TRY(check_size(static_cast<int64_t>(elements->size())));
    WireReader reader(bytes);
    std::string_view before = bytes;
    for (WireField field; reader.next(field); before = reader.rest())
      if (field.number != kRawData && field.number != kExternalData && field.number != kDataLocation)
        out += before.substr(0, before.size() - reader.rest().size());
    put_field(kRawData, *elements, out);
    return ok_status();
  }

  static Status check_size(int64_t bytes) {
    if (bytes <= kModelBytesMax) return ok_status();
    return Error{ErrorCode::kLimitExceeded,
                 cat("with the tensors in files beside it the model has more than ", kModelBytesMax,
                     " bytes, which is the most that one file may have; export a smaller model, or cut it in parts")};
  }

  const ReadFilePart& read_;
};

}  // namespace

Result<FilePart> part_of(const OnnxTensor& t) {
  FilePart part;
  for (const OnnxEntry& entry : t.external_data) {
    const std::string what = cat("the ", entry.key, " of the data of '", t.name, "'");
    if (entry.key == "location") part.name = entry.value;
    if (entry.key != "offset" && entry.key != "length") continue;
    HONE_ASSIGN(bytes, bytes_of(entry.value, what));
    if (entry.key == "offset") part.offset = bytes;
    else part.length = bytes;
  }
  if (!leads_elsewhere(part.name)) return part;
  return te::bad_model(cat("the elements of '", t.name, "' lie in '", part.name,
                           "'; expected the name of a file beside the model, or below its folder"));
}

Result<std::string> with_elements_inside(std::string_view bytes, const ReadFilePart& read) {
  // Every tensor outside names its file under this key; most models have none.
  if (bytes.find("location") == std::string::npos || !parse_onnx_model(bytes).ok()) return std::string(bytes);
  std::string out;
  HONE_TRY(Inliner(read).put(Part::kModel, bytes, 0, out));
  return out;
}

}  // namespace hone::graph
