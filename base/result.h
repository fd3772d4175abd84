// Result<T>: the value, or the Error that says what was found, what was expected and what to do.
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "base/check.h"
#include "schema/generated/error_code.h"

namespace hone {

struct Error {
  ErrorCode code = ErrorCode::kInternal;
  std::string message;  // one clear sentence: found, expected, remedy
};

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}
  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }
  T& value() & {
    CHECK(ok(), error_message());
    return std::get<0>(state_);
  }
  const T& value() const& {
    CHECK(ok(), error_message());
    return std::get<0>(state_);
  }
  T&& value() && {
    CHECK(ok(), error_message());
    return std::get<0>(std::move(state_));
  }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  const Error& error() const {
    CHECK(!ok(), "error() of a Result that holds a value");
    return std::get<1>(state_);
  }

 private:
  std::string error_message() const { return ok() ? std::string() : std::get<1>(state_).message; }
  std::variant<T, Error> state_;
};

// A step that yields nothing but may fail.
struct Done {};
using Status = Result<Done>;
inline Status ok_status() { return Done{}; }

}  // namespace hone

// Returns the error of `expression` (a Result) from the enclosing function.
#define HONE_TRY(expression)                                                   \
  do {                                                                         \
    if (auto hone_try = (expression); !hone_try.ok()) return hone_try.error(); \
  } while (false)
// Declares `name` with the value of `expression` (a Result), or returns its error.
#define HONE_ASSIGN(name, expression)                    \
  auto name##_result = (expression);                     \
  if (!name##_result.ok()) return name##_result.error(); \
  [[maybe_unused]] auto& name = *name##_result
