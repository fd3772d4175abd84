// scripts/bench statistics [--json]: how often the rule by which two builds are compared (stats/comparison.h) is wrong, and how often it finds what is there, on noise whose truth is
// known; beside it what usual rules say of the same times. It needs no device.
// --replays 10000: of builds that are the same, for each kind of noise; a fifth of it of builds that differ, a twentieth of re-runs. --seed 1: other replays. --quads 2: in a block.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "bench/statistics/kinds.h"
#include "bench/statistics/trials.h"

namespace hone::bench {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  bool json = false;
  int replays = 10'000, quads = 2;
  uint64_t seed = 1;
};

// Of one kind of noise: builds that are the same, and such that differ.
struct Row {
  std::string name;
  Counts same, differ_3, differ_1;
  Confirmations confirmed_3, confirmed_1;
};

class Trials {
 public:
  explicit Trials(const Options& options) : options_(options) {}

  Row row(const NoiseTraits& at_2_percent, const NoiseTraits& at_1_percent) {
    std::fprintf(stderr, "statistics: %s\n", at_2_percent.name.c_str());
    const Scenario same = scenario(at_2_percent, 0), differ_3 = scenario(at_2_percent, 0.03), differ_1 = scenario(at_1_percent, 0.01);
    return {.name = at_2_percent.name,
            .same = count_replays(same, options_.replays, next_seed()),
            .differ_3 = count_replays(differ_3, share(5), next_seed()),
            .differ_1 = count_replays(differ_1, share(5), next_seed()),
            .confirmed_3 = count_confirmations(differ_3, share(20), next_seed()),
            .confirmed_1 = count_confirmations(differ_1, share(20), next_seed())};
  }

 private:
  // The reference kernel can only take a verdict away: builds that are the same are judged without it, others with it.
  Scenario scenario(const NoiseTraits& noise, double effect) const {
    return {.noise = noise, .effect = effect, .with_reference = effect > 0, .quads_per_block = options_.quads};
  }
  int share(int part) const { return std::max(1, options_.replays / part); }
  uint64_t next_seed() { return hash_mix(options_.seed, ++drawn_); }

  Options options_;
  uint64_t drawn_ = 0;
};

std::vector<Row> all_rows(const Options& options) {
  const std::vector<NoiseTraits> at_2_percent = noise_kinds(0.02), at_1_percent = noise_kinds(0.01);
  Trials trials(options);
  std::vector<Row> rows;
  for (size_t i = 0; i < at_2_percent.size(); ++i) rows.push_back(trials.row(at_2_percent[i], at_1_percent[i]));
  const NoiseTraits recorded = recorded_noise(HONE_RECORDED_NOISE);
  rows.push_back(trials.row(recorded, recorded));
  return rows;
}

double confirmed_share(const Confirmations& c) { return c.declared ? static_cast<double>(c.confirmed) / c.declared : 0; }

Json json_of(const Counts& c) {
  return {{"replays", c.replays}, {"right_share", c.share(c.right)}, {"wrong_share", c.share(c.wrong)}, {"same_share", c.share(c.same)}, {"mean_pairs", c.pairs / c.replays},
          {"alerts_200_percent_share", c.share(c.alerts_200_percent)}, {"alerts_10_percent_share", c.share(c.alerts_10_percent)}};
}

Json json_of(const Row& row) {
  return {{"noise", row.name}, {"same", json_of(row.same)}, {"differ_3_percent", json_of(row.differ_3)}, {"differ_1_percent", json_of(row.differ_1)},
          {"confirmed_3_percent_share", confirmed_share(row.confirmed_3)}, {"confirmed_1_percent_share", confirmed_share(row.confirmed_1)}};
}

// False verdicts on the worst kind of noise; what is found where the deviation of a time is as said, on noise that is nothing else.
Json summary(const std::vector<Row>& rows) {
  double false_share = 0;
  for (const Row& row : rows) false_share = std::max(false_share, row.same.share(row.same.wrong));
  const Row& normal = rows.front();
  return {{"aa_false_share", false_share}, {"found_3pct_share", normal.differ_3.share(normal.differ_3.right)}, {"found_1pct_share", normal.differ_1.share(normal.differ_1.right)},
          {"confirmed_3pct_share", confirmed_share(normal.confirmed_3)}, {"confirmed_1pct_share", confirmed_share(normal.confirmed_1)}};
}

void print(const std::vector<Row>& rows) {
  std::printf("| noise | the same, called faster or slower | pairs | 3 %% at 2 %% found | pairs | 5 of 5 | 1 %% at 1 %% found | pairs | 5 of 5 | alert at 200 %%: false, 3 %%, 1 %% | alert at 10 %%: false, 3 %%, 1 %% |\n");
  std::printf("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n");
  for (const Row& row : rows) {
    const Counts &s = row.same, &three = row.differ_3, &one = row.differ_1;
    std::printf("| %s | %.2f %% | %.0f | %.1f %% | %.0f | %.1f %% | %.1f %% | %.0f | %.1f %% | %.2f %%, %.1f %%, %.1f %% | %.2f %%, %.1f %%, %.1f %% |\n", row.name.c_str(),
                100 * s.share(s.wrong), s.pairs / s.replays, 100 * three.share(three.right), three.pairs / three.replays, 100 * confirmed_share(row.confirmed_3),
                100 * one.share(one.right), one.pairs / one.replays, 100 * confirmed_share(row.confirmed_1), 100 * s.share(s.alerts_200_percent),
                100 * three.share(three.alerts_200_percent), 100 * one.share(one.alerts_200_percent), 100 * s.share(s.alerts_10_percent),
                100 * three.share(three.alerts_10_percent), 100 * one.share(one.alerts_10_percent));
  }
}

int run(const Options& options) {
  const std::vector<Row> rows = all_rows(options);
  Json all = summary(rows);
  if (!options.json) {
    print(rows);
    std::printf("\n%s\n", all.dump(1).c_str());
    return 0;
  }
  all["noise"] = Json::array();
  for (const Row& row : rows) all["noise"].push_back(json_of(row));
  std::printf("%s\n", all.dump().c_str());
  return 0;
}

}  // namespace
}  // namespace hone::bench

int main(int argc, char** argv) {
  hone::bench::Options options;
  CLI::App app("How often two builds are compared wrongly");
  app.add_flag("--json", options.json);
  app.add_option("--replays", options.replays)->check(CLI::Range(20, 1'000'000));
  app.add_option("--seed", options.seed);
  app.add_option("--quads", options.quads)->check(CLI::Range(1, 30));
  CLI11_PARSE(app, argc, argv);
  return hone::bench::run(options);
}
