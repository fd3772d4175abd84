#include "cli/verb.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <functional>

#include "base/cat.h"
#include "base/number_text.h"
#include "cli/console.h"
#include "cli/help_text.h"

namespace hone::cli {

namespace {

Check check_of(CLI::Validator validator) { return {std::make_shared<const CLI::Validator>(std::move(validator))}; }

// CLI11's own number checks print the largest double in their messages.
template <class T>
Check number_check(std::string expected, std::function<bool(T)> good) {
  return check_of(CLI::Validator(
      [expected, good](std::string& text) {
        T value{};
        bool parsed = CLI::detail::lexical_cast(text, value);
        return parsed && good(value) ? std::string() : cat("found ", text, ", expected ", expected);
      },
      ""));
}

// "hone tune --help": of the verb that the arguments name.
std::string help_of(const CLI::App& app) {
  std::string command = app.get_name();
  for (const CLI::App* at = &app; !at->get_subcommands().empty(); command += cat(" ", at->get_name()))
    at = at->get_subcommands().front();
  return command + " --help";
}

// CLI11 reports a missing subcommand where there is an unknown word; the words that are left over say which.
std::string what_is_wrong(const CLI::App& app, const CLI::ParseError& error) {
  const std::vector<std::string> unknown = app.remaining(true);
  // An option's value stands behind it, and CLI11 tells it first.
  const auto option = std::find_if(unknown.begin(), unknown.end(),
                                   [](const std::string& word) { return word.size() > 1 && word[0] == '-'; });
  if (option != unknown.end()) return cat("'", *option, "' is not known here; see ", help_of(app));
  const bool missing = error.get_exit_code() == static_cast<int>(CLI::ExitCodes::RequiredError);
  if (missing && !unknown.empty()) return cat("'", unknown.front(), "' is not known here; see ", help_of(app));
  return cat(error.what(), "; see ", help_of(app));
}

constexpr size_t kTextColumn = 30;  // CLI11 prints texts from its column 30 on

// CLI11 brings each line under the one before.
std::string in_column(const std::string& text) { return wrapped(text, kHelpColumns - kTextColumn); }

// A verb's text is wrapped for its parent's list; at the top of its own help it has the whole width.
class HelpFormat : public CLI::Formatter {
 public:
  std::string make_description(const CLI::App* app) const override {
    std::string text = Formatter::make_description(app);
    for (size_t i = 0; i + 1 < text.size(); i++)
      if (text[i] == '\n') text[i] = ' ';
    return text.empty() ? text : wrapped(text.substr(0, text.size() - 1), kHelpColumns) + "\n";
  }
  std::string make_footer(const CLI::App* app) const override { return fit_help(Formatter::make_footer(app)); }
};

// Of the parent's examples those of this verb.
std::string own_examples(const CLI::App& parent, const std::string& name) {
  const std::string wanted = cat(parent.get_name(), " ", name, " ");
  std::string out;
  for (const std::string& line : lines_of(parent.get_footer()))
    if ((line + " ").find(wanted) != std::string::npos) out += cat("\n", line);
  return out.empty() ? out : cat("Examples:", out);
}

}  // namespace

Check whole_from_1() {
  return number_check<int64_t>("a whole number from 1", [](int64_t n) { return n >= 1; });
}
Check whole_from_0() {
  return number_check<int64_t>("a whole number from 0", [](int64_t n) { return n >= 0; });
}
// The protocol's range, and more than any run takes.
Check seconds_from_0() {
  return number_check<double>("seconds from 0 to 31536000, a year", [](double n) { return n >= 0 && n <= 31'536'000; });
}
Check number_from_0() {
  return number_check<double>("a number from 0", [](double n) { return n >= 0; });
}
Check days() {
  constexpr double kDaysMax = 36'525;
  return number_check<double>("a number of days from 0 to 36525", [](double n) { return n >= 0 && n <= kDaysMax; });
}
Check not_empty() {
  return check_of(CLI::Validator(
      [](std::string& text) {
        return text.empty() ? std::string("found an empty word, expected a value") : std::string();
      },
      ""));
}
Check in_range(int least, int greatest) {
  return number_check<int>(cat("a whole number from ", least, " to ", greatest),
                           [=](int n) { return n >= least && n <= greatest; });
}
Check in_range(double least, double greatest) {
  return number_check<double>(cat("a number from ", given_text(least), " to ", given_text(greatest)),
                              [=](double n) { return n >= least && n <= greatest; });
}
Check one_of(std::vector<std::string> words) { return check_of(CLI::IsMember(std::move(words))); }

Option Option::required() { return Option(option_->required()); }
Option Option::default_shown() { return Option(option_->capture_default_str()); }
Option Option::check(const Check& check) { return Option(option_->check(*check.validator)); }
Option Option::excludes(Option other) { return Option(option_->excludes(other.option_)); }
Option Option::one_word_each() { return Option(option_->allow_extra_args(false)); }
Option Option::separated_by(char between) { return Option(option_->delimiter(between)); }
Option Option::on_given(std::function<void()> told) {
  return Option(option_->each([told = std::move(told)](const std::string&) { told(); }));
}

std::string Verb::name() const { return app_->get_name(); }
Verb Verb::sub(const std::string& name, const std::string& text) {
  CLI::App* sub = app_->add_subcommand(name, in_column(text));
  sub->footer(own_examples(*app_, name));
  return Verb(sub, run_);
}
void Verb::requires_sub() { app_->require_subcommand(1); }
void Verb::takes_one_sub() { app_->require_subcommand(0, 1); }
void Verb::footer(const std::string& text) { app_->footer(text); }

Option Verb::option(const std::string& name, std::string& value, const std::string& text) {
  return Option(app_->add_option(name, value, in_column(text)));
}
Option Verb::option(const std::string& name, std::vector<std::string>& value, const std::string& text) {
  return Option(app_->add_option(name, value, in_column(text)));
}
Option Verb::option(const std::string& name, int& value, const std::string& text) {
  return Option(app_->add_option(name, value, in_column(text)));
}
Option Verb::option(const std::string& name, uint64_t& value, const std::string& text) {
  return Option(app_->add_option(name, value, in_column(text)));
}
Option Verb::option(const std::string& name, double& value, const std::string& text) {
  return Option(app_->add_option(name, value, in_column(text)));
}
void Verb::flag(const std::string& name, bool& value, const std::string& text) {
  app_->add_flag(name, value, in_column(text));
}

void Verb::runs(Run run) {
  // A verb of several words ends with the last: the shorter one, which could stand alone, is not meant.
  app_->callback([app = app_, chosen = run_, run = std::move(run)] {
    if (app->get_subcommands().empty()) *chosen = run;
  });
}

CommandLine::CommandLine(const std::string& name, const std::string& version, const std::string& text)
    : app_(std::make_unique<CLI::App>(text, name)) {
  app_->formatter(std::make_shared<HelpFormat>());  // which all verbs inherit
  app_->set_version_flag("--version", cat(name, " ", version));
}
CommandLine::~CommandLine() = default;

std::optional<ExitCode> CommandLine::parse(int argc, char** argv) {
  if (argc <= 1) {
    std::fputs(app_->help().c_str(), stderr);
    return ExitCode::kUsage;
  }
  try {
    std::vector<std::string> words(argv + 1, argv + argc);
    // "hone help tune" is what other programs have taught.
    if (words.front() == "help") std::rotate(words.begin(), words.begin() + 1, words.end()), words.back() = "--help";
    std::reverse(words.begin(), words.end());  // as CLI11 takes them
    app_->parse(std::move(words));
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    const bool asked = error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success);  // for help or the version
    return asked ? static_cast<ExitCode>(app_->exit(error)) : usage_error(what_is_wrong(*app_, error));
  }
}

ExitCode usage_error(const std::string& message) {
  fail(Error{ErrorCode::kInvalidArgument, message});
  return ExitCode::kUsage;
}

}  // namespace hone::cli
