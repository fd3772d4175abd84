#include "tests/e2e/hone_process.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

namespace hone::e2e {

namespace fs = std::filesystem;

namespace {

std::string file_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::string unique_path(const std::string& folder, const std::string& name) {
  static std::atomic<int> count{0};
  return folder + "/" + name + "." + std::to_string(++count);
}

void redirect(int descriptor, const std::string& path) {
  int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (file < 0 || dup2(file, descriptor) < 0) _exit(126);
}

void enter_network(const std::string& name) {
  if (name.empty()) return;
  const int network = open(("/run/netns/" + name).c_str(), O_RDONLY | O_CLOEXEC);
  if (network < 0 || setns(network, CLONE_NEWNET) != 0) _exit(126);
}

pid_t parent_of(pid_t pid) {
  std::string stat = file_text("/proc/" + std::to_string(pid) + "/stat");
  size_t end = stat.rfind(')');
  if (end == std::string::npos) return 0;
  std::istringstream rest(stat.substr(end + 1));
  char state = 0;
  pid_t parent = 0;
  rest >> state >> parent;
  return parent;
}

}  // namespace

HoneProcess::HoneProcess(const Config& config)
    : out_path_(unique_path(config.folder, "stdout")), err_path_(unique_path(config.folder, "stderr")) {
  pid_ = fork();
  if (pid_ != 0) return;
  setpgid(0, 0);
  if (chdir(config.folder.c_str()) != 0) _exit(126);
  redirect(STDOUT_FILENO, out_path_);
  redirect(STDERR_FILENO, err_path_);
  enter_network(config.network);
  for (const auto& [name, value] : config.environment) setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> argv{const_cast<char*>(HONE_BINARY)};
  for (const std::string& argument : config.arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  // What the test has open stays its own: a socket that it resets is not reset as long as somebody else has it.
  close_range(STDERR_FILENO + 1, ~0u, 0);
  execv(HONE_BINARY, argv.data());
  _exit(127);
}

HoneProcess::~HoneProcess() {
  if (!reap(false)) {
    kill(-pid_, SIGKILL);
    reap(true);
  }
}

bool HoneProcess::reap(bool block) {
  if (!reaped_) reaped_ = waitpid(pid_, &status_, block ? 0 : WNOHANG) == pid_;
  return reaped_;
}

bool HoneProcess::running() { return !reap(false); }

int HoneProcess::wait(std::chrono::seconds limit) {
  if (!wait_until(limit, [this] { return reap(false); })) {
    kill(-pid_, SIGKILL);
    reap(true);
    return -1;
  }
  return WIFSIGNALED(status_) ? 128 + WTERMSIG(status_) : WEXITSTATUS(status_);
}

void HoneProcess::signal(int number) const { kill(pid_, number); }
std::string HoneProcess::out() const { return file_text(out_path_); }
std::string HoneProcess::err() const { return file_text(err_path_); }

TempFolder::TempFolder() {
  std::string name = (fs::temp_directory_path() / "hone_e2e_XXXXXX").string();
  path_ = mkdtemp(name.data());
}

TempFolder::~TempFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

bool wait_until(std::chrono::seconds limit, const std::function<bool()>& happened) {
  auto end = std::chrono::steady_clock::now() + limit;
  while (!happened()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

bool is_alive(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const size_t name_end = text.rfind(')');  // "pid (name) state …"
  return name_end != std::string::npos && name_end + 2 < text.size() && text[name_end + 2] != 'Z';
}

std::vector<pid_t> descendants(pid_t root, const std::string& command_part) {
  std::vector<pid_t> found;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/proc", ignored)) {
    std::string name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    pid_t pid = std::stoi(name);
    if (file_text(entry.path().string() + "/cmdline").find(command_part) == std::string::npos) continue;
    for (pid_t up = parent_of(pid); up > 1; up = parent_of(up))
      if (up == root) {
        found.push_back(pid);
        break;
      }
  }
  return found;
}

}  // namespace hone::e2e
