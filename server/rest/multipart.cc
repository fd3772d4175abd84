#include "server/rest/multipart.h"

#include <strings.h>

#include <algorithm>
#include <string>

#include "base/cat.h"
#include "server/rest/limits.h"

namespace hone::server {

namespace {

constexpr std::string_view kMultipart = "multipart/form-data";
constexpr size_t kBoundaryBytesMax = 70;  // RFC 2046, 5.1.1

Error malformed(const std::string& what) {
  return {ErrorCode::kInvalidArgument, cat("the body is no multipart/form-data with a part ask, then perhaps a part payload: ", what)};
}

bool begins_alike(std::string_view text, std::string_view prefix) {
  return text.size() >= prefix.size() && strncasecmp(text.data(), prefix.data(), prefix.size()) == 0;
}

Result<std::string> boundary_of(std::string_view content_type) {
  constexpr std::string_view kName = "boundary=";
  const auto at = std::search(content_type.begin(), content_type.end(), kName.begin(), kName.end(), [](char a, char b) { return (a | 0x20) == (b | 0x20); });
  std::string_view value(at, content_type.end());
  value.remove_prefix(std::min(value.size(), kName.size()));
  const bool quoted = value.starts_with('"');
  if (quoted) value.remove_prefix(1);
  value = value.substr(0, value.find_first_of(quoted ? "\"" : "; \t"));
  if (value.empty() || value.size() > kBoundaryBytesMax) return malformed(cat("its type has no boundary of 1 to ", kBoundaryBytesMax, " characters"));
  return std::string(value);
}

struct Part {
  std::string_view headers;
  std::string_view content;  // all behind the headers
};

// `rest` begins behind a boundary.
Result<Part> part_of(std::string_view rest) {
  const size_t line = rest.find_first_not_of(" \t");
  if (line == std::string_view::npos || rest.substr(line, 2) != "\r\n") return malformed("found a boundary without an end of line");
  rest.remove_prefix(line);
  const size_t end = rest.substr(0, kPartHeadersBytesMax).find("\r\n\r\n");
  if (end == std::string_view::npos) return malformed(cat("found a part's headers without an end in ", kPartHeadersBytesMax, " bytes"));
  return Part{rest.substr(0, end), rest.substr(end + 4)};
}

bool is_named(const Part& part, std::string_view name) {
  return part.headers.find(cat("name=\"", name, "\"")) != std::string_view::npos || part.headers.ends_with(cat("name=", name));
}

// Behind the payload there is the last boundary, and perhaps white space.
Result<std::string_view> until_last_boundary(std::string_view content, const std::string& boundary) {
  const size_t size = content.find_last_not_of(" \t\r\n") + 1;
  const std::string last = cat(boundary, "--");
  if (size < last.size() || content.substr(size - last.size(), last.size()) != last) return malformed("the part payload is not the last, or the body has no end");
  return content.substr(0, size - last.size());
}

}  // namespace

bool is_multipart(std::string_view content_type) { return begins_alike(content_type, kMultipart); }

Result<Parts> split_parts(std::string_view content_type, std::string_view body) {
  HONE_ASSIGN(name, boundary_of(content_type));
  const std::string boundary = cat("\r\n--", name);
  const std::string_view first = std::string_view(boundary).substr(2);
  if (!body.starts_with(first)) return malformed("it does not begin with its boundary");
  HONE_ASSIGN(ask, part_of(body.substr(first.size())));
  if (!is_named(ask, "ask")) return malformed("the first part has another name");
  const size_t end = ask.content.substr(0, kRestAskBytesMax + boundary.size()).find(boundary);
  if (end == std::string_view::npos) return malformed(cat("the part ask has no end in ", kRestAskBytesMax, " bytes"));
  const std::string_view rest = ask.content.substr(end + boundary.size());
  ask.content = ask.content.substr(0, end);
  if (rest.starts_with("--")) return Parts{ask.content, {}};
  HONE_ASSIGN(payload, part_of(rest));
  if (!is_named(payload, "payload")) return malformed("the second part has another name");
  HONE_ASSIGN(bytes, until_last_boundary(payload.content, boundary));
  return Parts{ask.content, bytes};
}

}  // namespace hone::server
