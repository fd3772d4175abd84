#include "tests/e2e/persons_browser.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <utility>

namespace hone::e2e {

PersonsBrowser::PersonsBrowser(const std::string& profile, const std::string& url, const std::string& home) {
  pid_ = fork();
  if (pid_ != 0) return;
  setpgid(0, 0);
  if (!home.empty()) setenv("HOME", home.c_str(), 1);
  const std::string folder = "--user-data-dir=" + profile, log = profile + ".log";
  const int out = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  dup2(out, STDOUT_FILENO);
  dup2(out, STDERR_FILENO);
  execlp("chromium", "chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", folder.c_str(), url.c_str(), static_cast<char*>(nullptr));
  _exit(127);
}

PersonsBrowser::~PersonsBrowser() { end(SIGKILL); }

void PersonsBrowser::close() { end(SIGTERM); }

void PersonsBrowser::end(int signal) {
  if (pid_ <= 0) return;
  kill(signal == SIGKILL ? -pid_ : pid_, signal);
  waitpid(std::exchange(pid_, 0), nullptr, 0);
}

}  // namespace hone::e2e
