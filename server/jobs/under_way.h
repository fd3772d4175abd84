// UnderWay: what the jobs of one service measure at this moment, so that no two measure the same source for the same class of devices at
// the same time. Any thread.
#pragma once
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

#include "base/hash.h"

namespace hone::server {

class UnderWay {
 public:
  using Key = std::tuple<Hash, std::string, Hash>;  // task, device key, source

  // True: it is the caller's until `end`. False: it is another's, and `ended` is called once, on the thread that ends it.
  bool begin(const Key& key, std::function<void()> ended) {
    std::lock_guard lock(mutex_);
    auto [found, fresh] = waiting_.try_emplace(key);
    if (!fresh) found->second.push_back(std::move(ended));
    return fresh;
  }

  void end(const Key& key) {
    std::vector<std::function<void()>> told;
    {
      std::lock_guard lock(mutex_);
      auto node = waiting_.extract(key);
      if (!node.empty()) told = std::move(node.mapped());
    }
    for (const auto& ended : told) ended();
  }

 private:
  std::mutex mutex_;
  std::map<Key, std::vector<std::function<void()>>> waiting_;
};

}  // namespace hone::server
