// GitRepository: what a bisection asks of git, which is run as a program of its own. The user's working tree, index and branches are never touched: each commit is checked out
// into a folder of its own (git worktree).
#pragma once
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace hone::bisect {

// A commit in a folder of its own; the folder and git's note of it are gone with the object.
class WorkTree {
 public:
  WorkTree(WorkTree&& other) noexcept : repository_(std::move(other.repository_)), path_(std::exchange(other.path_, "")) {}
  ~WorkTree();
  WorkTree& operator=(WorkTree&&) = delete;
  const std::string& path() const { return path_; }

 private:
  friend class GitRepository;
  WorkTree(std::string repository, std::string path) : repository_(std::move(repository)), path_(std::move(path)) {}
  std::string repository_, path_;
};

class GitRepository {
 public:
  // The repository that the folder lies in. Fails: io_error with git's words, or env's where there is no git.
  static Result<GitRepository> open(const std::string& folder);

  // The id of the commit that a name means ("v1.2", "HEAD~3", an abbreviation). Fails: invalid_argument for a name that begins with '-' or means no commit.
  Result<std::string> commit_of(const std::string& name) const;
  // The best of what both descend from; "" where there is nothing.
  std::string merge_base(const std::string& a, const std::string& b) const;
  // The commits that bad has and no good one does, bad among them, the best to try next first, as `git bisect` chooses (git rev-list --bisect-all).
  Result<std::vector<std::string>> between(const std::vector<std::string>& good, const std::string& bad) const;
  // "0123abcd The subject"; the id alone where git does not say.
  std::string title(const std::string& commit) const;
  // folder: not there yet. Fails: io_error with git's words.
  Result<WorkTree> check_out(const std::string& commit, const std::string& folder) const;

 private:
  explicit GitRepository(std::string folder) : folder_(std::move(folder)) {}
  std::string folder_;
};

// Runs a command in a folder, as a shell would find it, without git's own variables, which may name another repository. Returns what it printed. Fails: as run_program.
Result<std::string> run_in_folder(const std::string& folder, const std::vector<std::string>& command);

}  // namespace hone::bisect
