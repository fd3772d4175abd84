// record_loop [SAMPLES]: the noise of this machine, as scripts/bench statistics judges rules on. Prints the time in µs of each of SAMPLES (4000) runs of one
// fixed loop, one a line: a walk through 1 MiB with whole-number work, about 5 ms, so that it feels a neighbour on its core and in its cache.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "base/hash.h"

namespace {

constexpr int kRounds = 8;  // through the memory: about 5 ms

uint64_t walk(std::vector<uint64_t>& words, uint64_t value) {
  for (int round = 0; round < kRounds; ++round)
    for (uint64_t& word : words) word = value = hone::hash_mix(value, word);
  return value;
}

double time_us(std::vector<uint64_t>& words) {
  const auto from = std::chrono::steady_clock::now();
  words[0] = walk(words, words.back());
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - from).count();
}

}  // namespace

int main(int argc, char** argv) {
  const int samples = argc > 1 ? std::atoi(argv[1]) : 4000;
  std::vector<uint64_t> words(1 << 17);
  for (int warm = 0; warm < 20; ++warm) time_us(words);
  for (int i = 0; i < samples; ++i) std::printf("%.1f\n", time_us(words));
}
