// Of Space: assignments, counted, listed, as words and back, drawn and changed.
#include <algorithm>
#include <cmath>
#include <sstream>

#include "base/cat.h"
#include "tuner/space/space.h"

namespace hone::tuner {

namespace {
// The words for the keys that begin with the name, without it.
std::map<std::string, std::vector<std::string>> without_prefix(
    const std::map<std::string, std::vector<std::string>>& words, const std::string& name) {
  std::map<std::string, std::vector<std::string>> inner;
  for (const auto& [key, values] : words)
    if (key.starts_with(name + ".")) inner[key.substr(name.size() + 1)] = values;
  return inner;
}

// "rows=4 lanes=2" as a map.
std::map<std::string, std::string> words_by_key(const std::string& text) {
  std::map<std::string, std::string> words;
  std::istringstream in(text);
  for (std::string word; in >> word;) words[word.substr(0, word.find('='))] = word.substr(std::min(word.size(), word.find('=') + 1));
  return words;
}

std::optional<int> position_of(const Decision& d, const std::string& word) {
  for (size_t v = 0; v < d.values.size(); ++v)
    if (d.word(v) == word) return static_cast<int>(v);
  return std::nullopt;
}

}  // namespace

double Space::count() const {
  double count = 1;
  for (size_t i = 0; i < own_; ++i)
    if (decisions_[i].handle.choice != &Choices::algorithm) count *= static_cast<double>(decisions_[i].values.size());
  for (const Algorithm& algorithm : others_)
    if (permits(algorithm)) count += algorithm.space->count();
  return count;
}

Result<Space> Space::restricted(const std::map<std::string, std::vector<std::string>>& words) const {
  Space fewer = *this;
  const Assignment usual = assignment({});
  for (size_t i = 0; i < own_; ++i) {
    const Decision& d = decisions_[i];
    auto wanted = words.find(d.key);
    std::vector<int64_t> kept;
    for (size_t v = 0; v < d.values.size(); ++v) {
      bool keep = wanted == words.end()
                      ? static_cast<int>(v) == usual[i]
                      : std::find(wanted->second.begin(), wanted->second.end(), d.word(v)) != wanted->second.end();
      if (keep) kept.push_back(d.values[v]);
    }
    if (kept.empty())
      return Error{ErrorCode::kInvalidArgument, cat("none of the words given for the decision ", d.key,
                                                    " is a value of it; see hone compile --dump space")};
    fewer.decisions_[i].values = std::move(kept);
  }
  fewer.decisions_.resize(own_);
  fewer.others_.clear();
  for (const Algorithm& algorithm : others_) {
    HONE_ASSIGN(space, algorithm.space->restricted(without_prefix(words, algorithm.name)));
    fewer.append({algorithm.name, algorithm.task, std::make_shared<const Space>(std::move(space))});
  }
  return fewer;
}

std::string Space::text(const Assignment& a) const {
  if (const Algorithm* chosen = other(a)) return chosen->space->text(part(a, *chosen));
  std::string out = name_.empty() ? "" : cat(kAlgorithm, "=", name_, " ");
  for (size_t i = 0; i < own_; ++i) {
    const Decision& d = decisions_[i];
    out += cat(i ? " " : "", d.key, "=", d.word(static_cast<size_t>(a[i])));
  }
  return out;
}

std::optional<Assignment> Space::parse(const schedule::Trace& trace) const {
  for (const Algorithm& algorithm : others_)
    if (const auto found = algorithm.space->parse(trace); found && permits(algorithm)) return whole(algorithm, *found);
  const std::string head = cat(sketch_.rules, ": ", name_.empty() ? "" : cat(kAlgorithm, "=", name_, " "));
  if (!trace.sketch.starts_with(head)) return std::nullopt;
  std::map<std::string, std::string> words = words_by_key(trace.sketch.substr(head.size()));
  Assignment a(decisions_.size(), 0);
  for (size_t i = 0; i < own_; ++i) {
    const Decision& d = decisions_[i];
    const auto word = words.extract(d.key);
    if (word.empty() && d.first_is_usual) continue;  // older than the decision
    const std::optional<int> at = word.empty() ? std::nullopt : position_of(d, word.mapped());
    if (!at) return std::nullopt;
    a[i] = *at;
  }
  return words.empty() ? std::optional(a) : std::nullopt;
}

Assignment Space::assignment(const std::map<std::string, int64_t>& wanted) const {
  Assignment a(decisions_.size(), 0);
  for (size_t i = 0; i < own_; ++i) {
    const Decision& d = decisions_[i];
    auto want = wanted.find(d.key);
    if (want == wanted.end()) {
      // Operands in registers, producers in launches of their own; sizes at their smallest.
      for (size_t v = 0; v < d.labels.size() && v < d.values.size(); ++v)
        if (d.labels[static_cast<size_t>(d.values[v])] == "register" ||
            d.labels[static_cast<size_t>(d.values[v])] == "launch")
          a[i] = static_cast<int>(v);
      continue;
    }
    for (size_t v = 0; v < d.values.size(); ++v) {
      auto best = static_cast<size_t>(a[i]);
      if (std::abs(d.values[v] - want->second) < std::abs(d.values[best] - want->second)) a[i] = static_cast<int>(v);
    }
  }
  return a;
}

Assignment Space::mutate_own(const Assignment& from, Rng& rng) const {
  Assignment a = from;
  std::vector<size_t> open, sizes;
  for (size_t i = 0; i < own_; ++i) {
    if (decisions_[i].values.size() < 2 || decisions_[i].handle.choice == &Choices::algorithm) continue;
    open.push_back(i);
    if (decisions_[i].is_size()) sizes.push_back(i);
  }
  if (open.empty()) return a;
  auto count = [this](size_t i) { return static_cast<int>(decisions_[i].values.size()); };
  if (sizes.size() > 1 && rng.below(4) == 0) {  // one size grows, another shrinks: the product stays about the same
    size_t up = sizes[rng.below(sizes.size())], down = sizes[rng.below(sizes.size())];
    a[up] = std::min(a[up] + 1, count(up) - 1);
    a[down] = std::max(a[down] - 1, 0);
  } else {
    size_t i = open[rng.below(open.size())];
    int step = rng.below(2) ? 1 : -1;
    bool neighbour = decisions_[i].is_size() && rng.below(3) > 0;
    if (neighbour && a[i] + step >= 0 && a[i] + step < count(i)) a[i] += step;
    else a[i] = (a[i] + 1 + static_cast<int>(rng.below(static_cast<uint64_t>(count(i) - 1)))) % count(i);
  }
  repair(a);
  return a;
}

}  // namespace hone::tuner
