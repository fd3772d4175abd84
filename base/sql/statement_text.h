// StatementText: a statement that is put together of terms.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/sql/database.h"

namespace hone::sql {

class StatementText {
 public:
  explicit StatementText(std::string_view begin, std::vector<Value> values = {}) : text_(begin), values_(std::move(values)) {}

  StatementText& add(std::string_view term) { return text_ += term, *this; }
  // Each "?" of the term stands for the value.
  StatementText& add(std::string_view term, Value value);

  Command command() const { return {sql(), values_}; }
  // Kept as long as the program runs: there are as many as combinations of terms.
  const char* sql() const;
  const std::vector<Value>& values() const { return values_; }

 private:
  std::string text_;
  std::vector<Value> values_;
};

}  // namespace hone::sql
