#include "bench/space/yardstick.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <fstream>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/check.h"

namespace hone::bench {

namespace {

using Json = nlohmann::ordered_json;

constexpr uint64_t kSeed = 1;

const Yardstick* find_one(const std::vector<Yardstick>& all, const std::string& gpu, const std::string& task) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const Yardstick& y) { return y.gpu == gpu && y.task == task; });
  return found == all.end() ? nullptr : &*found;
}

// A line for each, so that a difference is readable.
void save(std::vector<Yardstick> all, const std::string& path) {
  const auto before = [](const Yardstick& a, const Yardstick& b) { return std::tie(a.gpu, a.task) < std::tie(b.gpu, b.task); };
  std::sort(all.begin(), all.end(), before);
  std::ofstream out(path);
  for (size_t i = 0; i < all.size(); ++i) {
    const Yardstick& y = all[i];
    const Json line{{"gpu", y.gpu},           {"task", y.task},
                    {"draws", y.draws},       {"legal", y.drawn.legal},
                    {"best_us", y.drawn.best_us}, {"sketch", y.drawn.sketch}};
    out << (i == 0 ? "[\n" : ",\n") << line.dump();
  }
  out << "\n]\n";
}

// Pairs are handed out in order; each result is written at once.
class Finder {
 public:
  Finder(int draws, std::string path) : draws_(draws), path_(std::move(path)), all_(load_yardsticks(path_)) {}

  void want(const Hardware& gpu, const HardwareTask& task) {
    const Yardstick* known = find_one(all_, gpu.name, task.name);
    if (!known || known->draws < draws_) wanted_.push_back({&gpu, &task});
  }

  void run(int threads) {
    std::vector<std::jthread> running;
    for (int i = 0; i < threads; ++i) running.emplace_back([this] { work(); });
  }

 private:
  struct Pair {
    const Hardware* gpu;
    const HardwareTask* task;
  };

  void work() {
    for (size_t i = next_++; i < wanted_.size(); i = next_++) {
      const auto& [gpu, task] = wanted_[i];
      keep({gpu->name, task->name, draws_, draw_schedules(*gpu, task->task, draws_, kSeed)});
    }
  }

  void keep(Yardstick found) {
    std::lock_guard lock(mutex_);
    std::fprintf(stderr, "%s %s: %.1f us\n", found.gpu.c_str(), found.task.c_str(), found.drawn.best_us);
    std::erase_if(all_, [&](const Yardstick& y) { return y.gpu == found.gpu && y.task == found.task; });
    all_.push_back(std::move(found));
    save(all_, path_);
  }

  const int draws_;
  const std::string path_;
  std::vector<Yardstick> all_;
  std::vector<Pair> wanted_;
  std::atomic<size_t> next_ = 0;
  std::mutex mutex_;
};

}  // namespace

std::vector<Yardstick> load_yardsticks(const std::string& path) {
  std::ifstream in(path);
  if (!in) return {};
  const Json json = Json::parse(in, nullptr, false);
  CHECK(json.is_array(), "the file of yardsticks is an array");
  std::vector<Yardstick> all;
  for (const Json& y : json)
    all.push_back({y.at("gpu"), y.at("task"), y.at("draws"), {y.at("best_us"), y.at("sketch"), y.at("legal")}});
  return all;
}

void find_yardsticks(const std::vector<Hardware>& gpus, const std::vector<HardwareTask>& tasks, Drawing how, const std::string& path) {
  Finder finder(how.draws, path);
  for (const Hardware& gpu : gpus)
    for (const HardwareTask& task : tasks) finder.want(gpu, task);
  finder.run(how.threads);
}

double yardstick_us(const std::vector<Yardstick>& all, const Hardware& gpu, const HardwareTask& task) {
  const Yardstick* found = find_one(all, gpu.name, task.name);
  if (!found) return 0;
  const double now_us = sketch_us(gpu, task.task, found->drawn.sketch);
  return now_us > 0 ? now_us : found->drawn.best_us;
}

}  // namespace hone::bench
