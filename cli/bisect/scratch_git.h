// A repository as the tests want it: one commit after the other, each with a file `time` that says what its build takes.
#pragma once
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/cat.h"
#include "cli/bisect/git_repository.h"

namespace hone::bisect {

class ScratchGit {
 public:
  explicit ScratchGit(const std::string& name) : root(std::filesystem::temp_directory_path() / cat("hone_git_", name, "_", ::getpid())) {
    std::filesystem::remove_all(root);
    std::filesystem::create_directories(root / "work");
    std::filesystem::create_directories(root / "trees");
    run("git init --quiet --initial-branch=main");
  }
  ~ScratchGit() { std::filesystem::remove_all(root); }

  std::string commit(const std::string& time) {
    std::ofstream(root / "work/time") << time;
    return commit_what_is_there();
  }
  std::string commit_what_is_there() {
    run(cat("git add --all && git -c user.name=t -c user.email=t@localhost -c commit.gpgsign=false commit --quiet --allow-empty -m 'commit ", ++commits_, "'"));
    return *repository().commit_of("HEAD");
  }
  // Each of these times in a row.
  std::vector<std::string> commits(const std::vector<std::string>& times) {
    std::vector<std::string> ids;
    for (const std::string& time : times) ids.push_back(commit(time));
    return ids;
  }
  void run(const std::string& command) const {
    if (std::system(cat("cd '", (root / "work").string(), "' && ", command).c_str()) != 0) std::abort();
  }
  GitRepository repository() const { return *GitRepository::open((root / "work").string()); }
  std::string trees() const { return (root / "trees").string(); }
  bool has_trees_left() const { return !std::filesystem::is_empty(root / "trees") || std::filesystem::exists(root / "work/.git/worktrees"); }

  const std::filesystem::path root;

 private:
  int commits_ = 0;
};

}  // namespace hone::bisect
