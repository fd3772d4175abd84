// DevTools: what the tests need of Chromium's DevTools protocol: to do to a running page what users, drivers and systems do to it.
// Every call waits for its answer; a lost connection or a refusal is a failed expectation and an empty answer.
#pragma once
#include <memory>
#include <string>

#include <nlohmann/json.hpp>

namespace hone::e2e {

class DevTools {
 public:
  // A program that starts Chromium with DevTools on and writes where they listen to `folder`/devtools: for --browser.
  static std::string browser_program(const std::string& folder);

  // To the browser that such a program started last.
  explicit DevTools(const std::string& folder);
  ~DevTools();

  // In the worker of this name ("agent", "device"), however deep it lies: the value of the expression.
  nlohmann::json evaluate(const std::string& worker, const std::string& expression);
  // Another tab comes in front of the agent's, or the agent's tab again.
  void cover();
  void uncover();
  // The agent's tab is closed; the browser stays, with another tab.
  void close();

 private:
  nlohmann::json call(const std::string& method, nlohmann::json parameters, const std::string& session = "");
  std::string session_of(const std::string& worker);
  void attach_below(const std::string& session);

  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hone::e2e
