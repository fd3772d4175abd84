#include "codegen/graph/onnx_import_external.h"

#include <charconv>
#include <limits>

#include "base/cat.h"
#include "codegen/graph/onnx_import_tensor.h"
#include "codegen/te/bad_model.h"

namespace hone::graph {
namespace {

constexpr int64_t kModelBytesMax = std::numeric_limits<int>::max();  // protobuf's limit of a message

bool leads_elsewhere(const std::string& path) {
  if (path.empty() || path.front() == '/' || path.find_first_of(std::string_view("\\:\0", 3)) != std::string::npos)
    return true;
  for (size_t begin = 0; begin <= path.size();) {
    const size_t end = std::min(path.find('/', begin), path.size());
    if (path.compare(begin, end - begin, "..") == 0) return true;
    begin = end + 1;
  }
  return false;
}

Result<int64_t> bytes_of(const std::string& text, const std::string& what) {
  int64_t value = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && rest == text.data() + text.size() && value >= 0) return value;
  return te::bad_model(cat(what, " is '", text, "'; expected a number of bytes"));
}

Result<FilePart> part_of(const onnx::TensorProto& t) {
  FilePart part;
  for (const auto& entry : t.external_data()) {
    const std::string what = cat("the ", entry.key(), " of the data of '", t.name(), "'");
    if (entry.key() == "location") part.name = entry.value();
    if (entry.key() != "offset" && entry.key() != "length") continue;
    HONE_ASSIGN(bytes, bytes_of(entry.value(), what));
    if (entry.key() == "offset") part.offset = bytes;
    else part.length = bytes;
  }
  if (!leads_elsewhere(part.name)) return part;
  return te::bad_model(cat("the elements of '", t.name(), "' lie in '", part.name,
                           "'; expected the name of a file beside the model, or below its folder"));
}

class Inliner {
 public:
  explicit Inliner(const ReadFilePart& read) : read_(read) {}

  Status put_inside(onnx::TensorProto& t) {
    if (t.data_location() != onnx::TensorProto::EXTERNAL) return ok_status();
    HONE_ASSIGN(part, part_of(t));
    if (part.length) HONE_TRY(count(*part.length));
    HONE_ASSIGN(elements, read_(part));
    if (!part.length) HONE_TRY(count(static_cast<int64_t>(elements.size())));
    t.set_raw_data(std::move(elements));
    t.clear_external_data();
    t.clear_data_location();
    return ok_status();
  }

 private:
  Status count(int64_t bytes) {
    total_ = bytes > kModelBytesMax ? bytes : total_ + bytes;
    if (total_ <= kModelBytesMax) return ok_status();
    return Error{ErrorCode::kLimitExceeded,
                 cat("the model's tensors in files beside it have more than ", kModelBytesMax,
                     " bytes, which is the most that hone takes; export a smaller model, or cut it in parts")};
  }

  const ReadFilePart& read_;
  int64_t total_ = 0;
};

}  // namespace

Result<std::string> with_elements_inside(std::string bytes, const ReadFilePart& read) {
  // Every tensor outside names its file under this key; most models have none, and are not parsed twice.
  if (bytes.find("location") == std::string::npos) return bytes;
  onnx::ModelProto model;
  if (!parse(bytes, model) || !model.has_graph()) return bytes;
  Inliner inliner(read);
  for (auto& t : *model.mutable_graph()->mutable_initializer()) HONE_TRY(inliner.put_inside(t));
  for (auto& node : *model.mutable_graph()->mutable_node())
    for (auto& a : *node.mutable_attribute())
      if (a.has_t()) HONE_TRY(inliner.put_inside(*a.mutable_t()));
  if (model.ByteSizeLong() > static_cast<size_t>(kModelBytesMax))
    return Error{ErrorCode::kLimitExceeded,
                 cat("the model has ", model.ByteSizeLong(), " bytes with its tensors; expected ", kModelBytesMax,
                     " at most: export a smaller model, or cut it in parts")};
  return model.SerializeAsString();
}

}  // namespace hone::graph
