// PersonsBrowser: a headless Chromium that a person opened, with a profile that outlives it. Ends with the object.
#pragma once
#include <sys/types.h>

#include <string>

namespace hone::e2e {

class PersonsBrowser {
 public:
  // Its log goes to `profile`.log. home: where the authorities are that the person trusts; "" = that of the test.
  PersonsBrowser(const std::string& profile, const std::string& url, const std::string& home = "");
  ~PersonsBrowser();
  PersonsBrowser(const PersonsBrowser&) = delete;
  void close();  // as a person does

 private:
  void end(int signal);
  pid_t pid_ = 0;
};

}  // namespace hone::e2e
