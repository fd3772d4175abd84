#include "cli/bisect/git_repository.h"

#include <algorithm>
#include <filesystem>

#include "base/cat.h"
#include "base/printable_text.h"
#include "browser-agent/launch/run_program.h"

namespace hone::bisect {
namespace {

constexpr const char* kEnv = "/usr/bin/env";  // finds programs on the PATH, and changes folders (coreutils 8.28)
constexpr size_t kIdDigitsMin = 40;           // of SHA-1; SHA-256 has 64

std::vector<std::string> lines_in(const std::string& text) {
  std::vector<std::string> lines;
  for (size_t from = 0; from < text.size();) {
    const size_t end = std::min(text.find('\n', from), text.size());
    lines.push_back(text.substr(from, end - from));
    from = end + 1;
  }
  return lines;
}

// The id that a line begins with; "" of a warning.
std::string id_in(const std::string& line) {
  const size_t digits = std::min(line.find_first_not_of("0123456789abcdef"), line.size());
  const bool ends = digits == line.size() || line[digits] == ' ';
  return digits >= kIdDigitsMin && ends ? line.substr(0, digits) : "";
}

std::vector<std::string> ids_in(const std::string& text) {
  std::vector<std::string> ids;
  for (const std::string& line : lines_in(text))
    if (std::string id = id_in(line); !id.empty()) ids.push_back(std::move(id));
  return ids;
}

Result<std::string> git(const std::string& folder, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"git", "-C", folder});
  auto said = launch::run_program(kEnv, arguments);
  if (said.ok() || said.error().code == ErrorCode::kCancelled) return said;
  const std::string& message = said.error().message;
  const size_t why = message.find(": ");
  return Error{said.error().code, cat("git ", arguments[3], " failed: ", why == std::string::npos ? message : message.substr(why + 2))};
}

}  // namespace

WorkTree::~WorkTree() {
  if (path_.empty()) return;
  (void)git(repository_, {"worktree", "remove", "--force", "--force", path_});
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
  (void)git(repository_, {"worktree", "prune"});
}

Result<GitRepository> GitRepository::open(const std::string& folder) {
  HONE_ASSIGN(said, git(folder, {"rev-parse", "--absolute-git-dir"}));
  return GitRepository(folder);
}

Result<std::string> GitRepository::commit_of(const std::string& name) const {
  const Error wrong{ErrorCode::kInvalidArgument, cat("found ", name.empty() ? "an empty word" : shortened(name), ", expected a commit of this repository, such as v1.2 or HEAD~20")};
  if (name.empty() || name.front() == '-') return wrong;
  const auto said = git(folder_, {"rev-parse", "--verify", "--quiet", "--end-of-options", name + "^{commit}"});
  if (!said.ok()) return said.error().code == ErrorCode::kCancelled ? said.error() : wrong;
  const std::vector<std::string> ids = ids_in(*said);
  if (ids.empty()) return wrong;
  return ids.back();
}

std::string GitRepository::merge_base(const std::string& a, const std::string& b) const {
  const auto said = git(folder_, {"merge-base", a, b});
  const std::vector<std::string> ids = said.ok() ? ids_in(*said) : std::vector<std::string>{};
  return ids.empty() ? "" : ids.front();
}

Result<std::vector<std::string>> GitRepository::between(const std::vector<std::string>& good, const std::string& bad) const {
  std::vector<std::string> arguments{"rev-list", "--bisect-all", bad, "--not"};
  arguments.insert(arguments.end(), good.begin(), good.end());
  HONE_ASSIGN(said, git(folder_, arguments));
  return ids_in(said);
}

std::string GitRepository::title(const std::string& commit) const {
  const auto said = git(folder_, {"show", "--no-patch", "--format=%h %s", commit});
  return said.ok() && !lines_in(*said).empty() ? lines_in(*said).back() : commit;
}

Result<WorkTree> GitRepository::check_out(const std::string& commit, const std::string& folder) const {
  std::error_code error;
  if (std::filesystem::exists(folder, error)) return Error{ErrorCode::kIoError, cat(folder, " is there already, expected a folder that is not")};
  WorkTree tree(folder_, folder);  // what a failure leaves goes, too
  HONE_TRY(git(folder_, {"worktree", "add", "--quiet", "--detach", folder, commit}));
  return tree;
}

Result<std::string> run_in_folder(const std::string& folder, const std::vector<std::string>& command) {
  std::vector<std::string> arguments{"-u", "GIT_DIR", "-u", "GIT_WORK_TREE", "-u", "GIT_INDEX_FILE", "-C", folder, "--"};
  arguments.insert(arguments.end(), command.begin(), command.end());
  auto said = launch::run_program(kEnv, arguments);
  if (said.ok()) return said;
  if (said.error().code == ErrorCode::kCancelled) return Error{ErrorCode::kCancelled, cat(shortened(command.front()), " was interrupted")};
  const size_t how = said.error().message.find(" ended with ");
  return Error{said.error().code, cat(shortened(command.front()), how == std::string::npos ? cat(": ", said.error().message) : said.error().message.substr(how))};
}

}  // namespace hone::bisect
