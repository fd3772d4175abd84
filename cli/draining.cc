#include "cli/draining.h"

#include <utility>

namespace hone::cli {

namespace {
constexpr std::chrono::milliseconds kLookEvery{20};
}  // namespace

void Draining::begin(std::chrono::milliseconds limit, std::function<void()> on_end) {
  on_end_ = std::move(on_end);
  service_.drain();
  limit_.start(limit, [this] { end(); });
  look_.start_repeating(kLookEvery, [this] {
    if (service_.idle()) end();
  });
}

void Draining::end() {
  look_.cancel();
  limit_.cancel();
  if (const auto told = std::exchange(on_end_, nullptr)) told();
}

}  // namespace hone::cli
