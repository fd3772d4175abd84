#include "cli/dims.h"

#include <charconv>

#include "base/cat.h"

namespace hone::cli {

namespace {

struct Named {
  std::string name;
  std::vector<int64_t> sizes;
};

Error wrong_form(const std::string& text) {
  return {ErrorCode::kInvalidArgument,
          cat("--dim ", text, " is not NAME=N with N at least 1; write for example --dim batch=1")};
}

// Numbers with commas between them.
Result<std::vector<int64_t>> numbers_of(std::string_view text, const std::string& whole) {
  std::vector<int64_t> out;
  for (;;) {
    int64_t value = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || value < 1) return wrong_form(whole);
    out.push_back(value);
    text.remove_prefix(static_cast<size_t>(rest - text.data()));
    if (text.empty()) return out;
    if (text[0] != ',') return wrong_form(whole);
    text.remove_prefix(1);
  }
}

Result<Named> parse_dim(const std::string& text) {
  const size_t equals = text.rfind('=');  // names may hold one
  if (equals == std::string::npos || equals == 0) return wrong_form(text);
  HONE_ASSIGN(sizes, numbers_of(std::string_view(text).substr(equals + 1), text));
  return Named{text.substr(0, equals), std::move(sizes)};
}

}  // namespace

Result<Dims> parse_dims(const std::vector<std::string>& dims) {
  Dims out;
  for (const std::string& text : dims) {
    HONE_ASSIGN(named, parse_dim(text));
    if (named.sizes.size() > 1)
      return Error{ErrorCode::kInvalidArgument,
                   cat("--dim ", text, " names several sizes, which hone export alone takes; give one")};
    out[named.name] = named.sizes[0];
  }
  return out;
}

Result<std::vector<Dims>> parse_sizes(const std::vector<std::string>& dims) {
  std::vector<Dims> out{{}};
  for (const std::string& text : dims) {
    HONE_ASSIGN(named, parse_dim(text));
    std::vector<Dims> more;
    for (int64_t size : named.sizes)
      for (Dims with : out) {
        with[named.name] = size;
        more.push_back(std::move(with));
      }
    if (more.size() > kSizesMax)
      return Error{ErrorCode::kLimitExceeded,
                   cat("--dim asks for ", more.size(), " sizes of the model; one package has at most ", kSizesMax)};
    out = std::move(more);
  }
  return out;
}

std::string dims_text(const Dims& dims) {
  std::string out;
  for (const auto& [name, size] : dims) out += cat(out.empty() ? "" : ", ", name, "=", size);
  return out;
}

}  // namespace hone::cli
