// What a verb's command line looks like. verb.cc alone knows CLI11, which each unit that includes it would compile anew.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/exit_code.h"

namespace CLI {
class App;
class Option;
class Validator;
}  // namespace CLI

namespace hone::cli {

// A condition on each word that an option is given. Help shows those of ranges and lists; a message says what was expected.
struct Check {
  std::shared_ptr<const CLI::Validator> validator;
};
Check whole_from_1();
Check whole_from_0();
Check seconds_from_0();
Check number_from_0();
Check days();       // from 0 to a hundred years
Check not_empty();  // an empty word is mostly a variable of the shell that is not set
Check in_range(int least, int greatest);
Check in_range(double least, double greatest);
Check one_of(std::vector<std::string> words);

// A handle on an option or a positional argument of a verb; copies mean the same one.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}
  Option required();
  Option default_shown();  // the value that the variable has now
  Option check(const Check& check);
  Option excludes(Option other);
  Option one_word_each();             // of a list: each mention of the option takes one word
  Option separated_by(char between);  // of a list: a word may hold several values
  Option on_given(std::function<void()> told);

 private:
  CLI::Option* option_;
};

// What to do once the arguments are parsed.
using Run = std::function<ExitCode()>;

// A handle on a verb; a copy means the same one. The variables given must live until the verb has run.
class Verb {
 public:
  Verb(CLI::App* app, Run* run) : app_(app), run_(run) {}
  std::string name() const;
  Verb sub(const std::string& name, const std::string& text);
  void requires_sub();
  void takes_one_sub();  // or none: words behind it are its own, whatever its sisters are called
  void footer(const std::string& text);  // below the options: examples

  // "--name", or "name" for a positional argument. A list takes any number of words.
  Option option(const std::string& name, std::string& value, const std::string& text);
  Option option(const std::string& name, std::vector<std::string>& value, const std::string& text);
  Option option(const std::string& name, int& value, const std::string& text);
  Option option(const std::string& name, uint64_t& value, const std::string& text);
  Option option(const std::string& name, double& value, const std::string& text);
  void flag(const std::string& name, bool& value, const std::string& text);

  void runs(Run run);  // if this verb is the one that the arguments name

 private:
  CLI::App* app_;
  Run* run_;
};

class CommandLine {
 public:
  CommandLine(const std::string& name, const std::string& version, const std::string& text);
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;

  Verb root() { return Verb(app_.get(), &run_); }
  // Nothing where a verb is to be run; else the code to exit with: help was printed, or what is wrong.
  std::optional<ExitCode> parse(int argc, char** argv);
  ExitCode run() const { return run_(); }  // after parse

 private:
  std::unique_ptr<CLI::App> app_;
  Run run_;
};

// Prints a wrong-usage message and returns kUsage.
ExitCode usage_error(const std::string& message);

}  // namespace hone::cli
