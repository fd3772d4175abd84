#include "base/sql/statement_text.h"

#include <mutex>
#include <set>

namespace hone::sql {

StatementText& StatementText::add(std::string_view term, Value value) {
  values_.push_back(std::move(value));
  for (const char c : term) c == '?' ? text_ += "$" + std::to_string(values_.size()) : text_ += c;
  return *this;
}

const char* StatementText::sql() const {
  static std::mutex mutex;
  static std::set<std::string> all;
  std::lock_guard lock(mutex);
  return all.insert(text_).first->c_str();
}

}  // namespace hone::sql
