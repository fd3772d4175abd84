// Generated from schema/protocol.json and schema/errors.json by scripts/gen_schema. Do not edit.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "schema/generated/error_code.h"

namespace hone::protocol {

// How the text of a query's argument becomes a field's value: as it is; as a number; true or false; as one of several; as JSON.
enum class ReadAs : uint8_t { kString, kNumber, kBool, kStrings, kJson };

struct QueryField {
  std::string_view name;
  ReadAs read_as = ReadAs::kString;
};

// One message of a client as an HTTP request. What stands in braces in the path is a field; further fields are in the query, or in a body of JSON.
struct RestRoute {
  std::string_view method;
  std::string_view path;  // "/devices/{device_id}"
  std::string_view kind;  // of the message
  std::vector<QueryField> query;
  bool has_body = false;
  bool has_payload = false;  // the message may have one
  size_t bytes_max = 0;      // of the message
  std::string_view reply;    // the kind of the message that answers it
  std::vector<std::string_view> events, ends;  // kinds of what follows the reply, those that are the last, too
  std::string_view plain_if;  // a field of the body, which is a bool: where it is true, nothing follows the reply
};

inline constexpr std::string_view kRestPrefix = "/api/v1";
const std::vector<RestRoute>& rest_routes();

// Of a reply that says this code.
int http_status(ErrorCode code);

// The OpenAPI document, as JSON.
std::string_view openapi_text();

}  // namespace hone::protocol
