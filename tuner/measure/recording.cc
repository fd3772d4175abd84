#include "tuner/measure/recording.h"

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/cat.h"
#include "tuner/measure/error_names.h"
#include "tuner/measure/hash_text.h"

namespace hone::tuner {

namespace {

using Json = nlohmann::ordered_json;

// "rows=4" out of "tile: rows.threads=8 rows=4 …": whole words only.
std::string_view word_of(std::string_view sketch, std::string_view key) {
  for (size_t at = sketch.find(key); at != std::string_view::npos; at = sketch.find(key, at + 1)) {
    size_t value = at + key.size();
    if ((at > 0 && sketch[at - 1] != ' ') || value >= sketch.size() || sketch[value] != '=') continue;
    return sketch.substr(value + 1, sketch.find(' ', value) - value - 1);
  }
  return {};
}

double rounded(double value) { return std::round(value * 100) / 100; }

Json kernel_json(const RecordedKernel& k) {
  return {k.source.hex(), error_name(k.outcome),   rounded(k.latency_us),
          k.samples,      rounded(k.reference_us), rounded(k.create_ms)};
}

RecordedKernel kernel_of(const Json& j) {
  RecordedKernel k{.source = hash_from_hex(j.at(0)),
                   .latency_us = j.at(2),
                   .samples = j.at(3),
                   .reference_us = j.at(4),
                   .create_ms = j.at(5)};
  auto outcome = error_from_name(j.at(1).get<std::string>());
  if (!outcome) throw std::invalid_argument("an unknown outcome");
  k.outcome = *outcome;
  return k;
}

}  // namespace

std::string Recording::words_of(std::string_view sketch) const {
  std::string words;
  for (const auto& [key, values] : space) {
    std::string_view word = word_of(sketch, key);
    if (word.empty()) return "";
    words += cat(words.empty() ? "" : " ", word);
  }
  return words;
}

const RecordedKernel* Recording::find(std::string_view sketch) const {
  auto found = candidates.find(words_of(sketch));
  return found == candidates.end() ? nullptr : &kernels[found->second];
}

double Recording::best_us() const {
  double best = 0;
  for (const RecordedKernel& k : kernels)
    if (k.latency_us > 0 && (best == 0 || k.latency_us < best)) best = k.latency_us;
  return best;
}

Result<Recording> Recording::parse(std::string_view text) {
  try {
    Json j = Json::parse(text);
    Recording r;
    r.op = j.at("op");
    r.space = j.at("space").get<Words>();
    if (!j.contains("kernels")) return r;
    r.device_json = j.at("device").dump();
    r.naive = kernel_of(j.at("naive"));
    for (const Json& kernel : j.at("kernels")) r.kernels.push_back(kernel_of(kernel));
    for (const auto& [words, place] : j.at("candidates").items()) {
      r.candidates[words] = place;
      if (r.candidates[words] >= r.kernels.size()) throw std::invalid_argument("a candidate without a kernel");
    }
    return r;
  } catch (const std::exception& e) {
    return Error{ErrorCode::kParseError,
                 cat("not a recording: ", e.what(), "; make it anew with scripts/record_replay")};
  }
}

std::string Recording::to_json() const {
  Json j{{"op", op}, {"space", space}, {"device", Json::parse(device_json)}, {"naive", kernel_json(naive)}};
  std::string text = j.dump(1);
  text.resize(text.size() - 2);  // one line per kernel: differences stay readable
  text += ",\n \"kernels\": [";
  for (size_t i = 0; i < kernels.size(); ++i) text += cat(i ? ",\n  " : "\n  ", kernel_json(kernels[i]).dump());
  text += "],\n \"candidates\": {";
  size_t i = 0;
  for (const auto& [words, place] : candidates)
    text += cat(i++ ? ",\n  " : "\n  ", Json(words).dump(), ": ", static_cast<uint64_t>(place));
  return text + "}\n}\n";
}

Result<Recording> load_recording(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  if (!(text << file.rdbuf()))
    return Error{ErrorCode::kIoError, cat("cannot read ", path, "; it should be a recording of tests/replay")};
  auto recording = Recording::parse(text.str());
  if (!recording.ok()) return Error{recording.error().code, cat(path, ": ", recording.error().message)};
  return recording;
}

}  // namespace hone::tuner
