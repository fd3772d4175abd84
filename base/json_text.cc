#include "base/json_text.h"

#include "base/cat.h"
#include "base/json_depth.h"

namespace hone {

namespace {

constexpr size_t kExcerptBytesMax = 200;

Status within(std::string_view text, const JsonBounds& bounds) {
  if (text.size() > bounds.bytes_max)
    return Error{ErrorCode::kParseError, cat("its ", text.size(), " bytes exceed the limit of ", bounds.bytes_max)};
  if (const size_t depth = json_depth(text); depth > bounds.depth_max)
    return Error{ErrorCode::kParseError,
                 cat("it is nested ", depth, " levels deep, more than the limit of ", bounds.depth_max)};
  return ok_status();
}

std::string dump(const nlohmann::json& json) {
  return json.dump(-1, ' ', /*ensure_ascii=*/true, nlohmann::json::error_handler_t::replace);
}

}  // namespace

Result<nlohmann::json> parse_json(std::string_view text, JsonBounds bounds) {
  HONE_TRY(within(text, bounds));
  try {
    return nlohmann::json::parse(text);
  } catch (const nlohmann::json::parse_error& error) {
    return Error{ErrorCode::kParseError, cat("it is not JSON from byte ", error.byte, " on")};
  } catch (const nlohmann::json::out_of_range&) {
    return Error{ErrorCode::kParseError, "it is not JSON: it holds a number that no double can hold"};
  }
}

Status check_json_object(std::string_view text, JsonBounds bounds) {
  HONE_TRY(within(text, bounds));
  const size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin != std::string_view::npos && text[begin] == '{' && nlohmann::json::accept(text)) return ok_status();
  return Error{ErrorCode::kParseError, "it is not a JSON object"};
}

std::string json_excerpt(const nlohmann::json& json) {
  if (json.is_array()) return cat("a list of ", json.size(), " items");
  if (json.is_object()) return cat("an object of ", json.size(), " fields");
  if (!json.is_string()) return dump(json);
  const std::string& text = json.get_ref<const std::string&>();
  if (text.size() <= kExcerptBytesMax) return dump(json);
  return cat(dump(text.substr(0, kExcerptBytesMax)), " and ", text.size() - kExcerptBytesMax, " bytes more");
}

std::string json_line(const nlohmann::json& json) {
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}
std::string json_line(const nlohmann::ordered_json& json) {
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace hone
