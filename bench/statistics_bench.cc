// scripts/bench statistics [--json]: how often the rule by which two builds are compared (stats/comparison.h) is wrong, and how often it finds what is there,
// on noise whose truth is known; beside it what usual rules say of the same times. It needs no device.
// --replays 10000: of builds that are the same, for each kind of noise; a fifth of it of builds that differ and of series, a twentieth of re-runs.
// --seed 1: other replays. --quads 2: in a block.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "bench/statistics/kinds.h"
#include "bench/statistics/series_trials.h"
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
  Counts same, calm, differ_3, differ_1;  // the same with a deviation of 2 % and, calm, of 1 %
  Confirmations confirmed_3, confirmed_1;
  SeriesCounts series;
  bool is_alone = false;  // one kind of noise, of the deviation as said
};

class Trials {
 public:
  explicit Trials(const Options& options) : options_(options) {}

  Row row(const NoiseTraits& at_2_percent, const NoiseTraits& at_1_percent) {
    std::fprintf(stderr, "statistics: %s\n", at_2_percent.name.c_str());
    const Scenario same = scenario(at_2_percent, 0), differ_3 = scenario(at_2_percent, 0.03),
                   differ_1 = scenario(at_1_percent, 0.01);
    return {.name = at_2_percent.name,
            .same = count_replays(same, options_.replays, next_seed()),
            .calm = count_replays(scenario(at_1_percent, 0), options_.replays, next_seed()),
            .differ_3 = count_replays(differ_3, share(5), next_seed()),
            .differ_1 = count_replays(differ_1, share(5), next_seed()),
            .confirmed_3 = count_confirmations(differ_3, share(20), next_seed()),
            .confirmed_1 = count_confirmations(differ_1, share(20), next_seed()),
            .series = count_series(at_2_percent, share(5), next_seed())};
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
  for (size_t i = 0; i + 1 < rows.size(); ++i) rows[i].is_alone = true;
  rows.push_back(trials.row(recorded, recorded));
  return rows;
}

double confirmed_share(const Confirmations& c) {
  return c.declared ? static_cast<double>(c.confirmed) / c.declared : 0;
}

Json json_of(const Alerts& alerts, const Counts& c) {
  return {{"at_200_percent_share", c.share(alerts.at_200_percent)},
          {"at_10_percent_share", c.share(alerts.at_10_percent)}};
}

Json json_of(const Counts& c) {
  return {{"replays", c.replays},
          {"right_share", c.share(c.right)},
          {"wrong_share", c.share(c.wrong)},
          {"same_share", c.share(c.same)},
          {"mean_pairs", c.pairs / c.replays},
          {"alerts_beside", json_of(c.beside, c)},
          {"alerts_stored", json_of(c.stored, c)}};
}

Json json_of(const Row& row) {
  const double series = row.series.series;
  return {{"noise", row.name},
          {"same", json_of(row.same)},
          {"same_at_1_percent", json_of(row.calm)},
          {"differ_3_percent", json_of(row.differ_3)},
          {"differ_1_percent", json_of(row.differ_1)},
          {"confirmed_3_percent_share", confirmed_share(row.confirmed_3)},
          {"confirmed_1_percent_share", confirmed_share(row.confirmed_1)},
          {"contradicted", row.confirmed_3.contradicted + row.confirmed_1.contradicted},
          {"series_false_share", row.series.false_alarms / series},
          {"series_found_5_percent_share", row.series.found / series}};
}

double least(const std::vector<Row>& rows, double (*share)(const Row&)) {
  double least = 1;
  for (const Row& row : rows)
    if (row.is_alone) least = std::min(least, share(row));
  return least;
}

// False verdicts on the worst noise of all; what is found on the worst kind alone, since the mixture and the recording scatter by more than is said.
Json summary(const std::vector<Row>& rows) {
  double false_share = 0;
  for (const Row& row : rows)
    false_share = std::max({false_share, row.same.share(row.same.wrong), row.calm.share(row.calm.wrong)});
  return {{"aa_false_share", false_share},
          {"found_3pct_share", least(rows, [](const Row& r) { return r.differ_3.share(r.differ_3.right); })},
          {"found_1pct_share", least(rows, [](const Row& r) { return r.differ_1.share(r.differ_1.right); })},
          {"confirmed_3pct_share", least(rows, [](const Row& r) { return confirmed_share(r.confirmed_3); })},
          {"confirmed_1pct_share", least(rows, [](const Row& r) { return confirmed_share(r.confirmed_1); })}};
}

void print_found(const std::vector<Row>& rows) {
  std::printf(
      "| noise | the same, at 2 %%: called faster or slower | pairs | at 1 %%: called faster or slower | called the "
      "same | pairs |\n| --- | ---: | ---: | ---: | ---: | ---: |\n");
  for (const Row& row : rows) {
    const Counts &same = row.same, &calm = row.calm;
    std::printf("| %s | %.2f %% | %.0f | %.2f %% | %.1f %% | %.0f |\n", row.name.c_str(), 100 * same.share(same.wrong),
                same.pairs / same.replays, 100 * calm.share(calm.wrong), 100 * calm.share(calm.same),
                calm.pairs / calm.replays);
  }
  std::printf(
      "\n| noise | 3 %% at 2 %%: found | pairs | 5 of 5 again | 1 %% at 1 %%: found | pairs | 5 of 5 again |\n| --- | "
      "---: | ---: | ---: | ---: | ---: | ---: |\n");
  for (const Row& row : rows) {
    const Counts &three = row.differ_3, &one = row.differ_1;
    std::printf("| %s | %.1f %% | %.0f | %.1f %% | %.1f %% | %.0f | %.1f %% |\n", row.name.c_str(),
                100 * three.share(three.right), three.pairs / three.replays, 100 * confirmed_share(row.confirmed_3),
                100 * one.share(one.right), one.pairs / one.replays, 100 * confirmed_share(row.confirmed_1));
  }
}

void print_usual(const std::vector<Row>& rows) {
  std::printf(
      "\n| alerts of usual rules | beside, 200 %%: false | of 3 %% | 10 %%: false | of 3 %% | stored, 200 %%: false | "
      "of 3 %% | 10 %%: false | of 3 %% |\n");
  std::printf("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n");
  for (const Row& row : rows) {
    std::printf("| %s |", row.name.c_str());
    for (Alerts Counts::*where : {&Counts::beside, &Counts::stored})
      for (int Alerts::*rule : {&Alerts::at_200_percent, &Alerts::at_10_percent})
        for (const Counts* counts : {&row.same, &row.differ_3})
          std::printf(" %.2f %% |", 100 * counts->share(counts->*where.*rule));
    std::printf("\n");
  }
}

void print_series(const std::vector<Row>& rows) {
  std::printf(
      "\n| series of 60 points | without a change, one found | 5 %% in the middle, found |\n| --- | ---: | ---: |\n");
  for (const Row& row : rows)
    std::printf("| %s | %.2f %% | %.1f %% |\n", row.name.c_str(), 100.0 * row.series.false_alarms / row.series.series,
                100.0 * row.series.found / row.series.series);
}

void print_all(const std::vector<Row>& rows, const Json& shares) {
  print_found(rows);
  print_usual(rows);
  print_series(rows);
  std::printf("\n| all | found | wanted |\n| --- | ---: | ---: |\n");
  const std::vector<std::array<const char*, 2>> wanted{
      {"aa_false_share", "≤ 1 %"}, {"found_3pct_share", "≥ 90 %"}, {"found_1pct_share", "≥ 80 %"}};
  for (const auto& [name, bar] : wanted)
    std::printf("| `%s` | %.2f %% | %s |\n", name, 100 * shares.at(name).get<double>(), bar);
}

int run(const Options& options) {
  const std::vector<Row> rows = all_rows(options);
  Json all = summary(rows);
  if (!options.json) {
    print_all(rows, all);
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
