#include "tuner/measure/recording.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/cat.h"
#include "base/json_depth.h"
#include "base/json_text.h"
#include "tuner/measure/error_names.h"

namespace hone::tuner {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kPlaces = "0123456789abcdefghijklmnopqrstuvwxyz";

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

void put_times(Json& j, const RecordedKernel& k) {
  j.push_back(rounded(k.latency_us));
  j.push_back(k.samples);
  j.push_back(rounded(k.create_ms));
}

// Of an array that has them from `at` on.
RecordedKernel times_of(const Json& j, size_t at) {
  return {.outcome = ErrorCode::kOk, .latency_us = j.at(at), .samples = j.at(at + 1), .create_ms = j.at(at + 2)};
}

RecordedKernel kernel_of(const Json& j) {
  if (j.at(1).is_number()) return times_of(j, 1);
  auto outcome = error_from_name(j.at(1).get<std::string>());
  if (!outcome) throw std::invalid_argument("an unknown outcome");
  return {.outcome = *outcome};
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

Json kernel_json(const RecordedKernel& k, const std::string& choices) {
  Json j = Json::array({choices});
  if (k.outcome == ErrorCode::kOk) put_times(j, k);
  else j.push_back(error_name(k.outcome));
  return j;
}

}  // namespace

std::string Recording::choice_of(std::string_view sketch) const {
  std::string choice;
  for (const auto& [key, values] : space) {
    auto place = static_cast<size_t>(std::find(values.begin(), values.end(), word_of(sketch, key)) - values.begin());
    if (place == values.size() || place >= kPlaces.size()) return "";
    choice += kPlaces[place];
  }
  return choice;
}

const RecordedKernel* Recording::find(std::string_view sketch) const {
  auto found = candidates.find(choice_of(sketch));
  return found == candidates.end() ? nullptr : &kernels[found->second];
}

void Recording::add(const std::vector<std::string>& choices, RecordedKernel kernel) {
  kernel.source = hash_bytes(choices.at(0));
  for (const std::string& choice : choices) candidates[choice] = kernels.size();
  kernels.push_back(kernel);
}

double Recording::best_us() const {
  double best = 0;
  for (const RecordedKernel& k : kernels)
    if (k.latency_us > 0 && (best == 0 || k.latency_us < best)) best = k.latency_us;
  return best;
}

Result<Recording> Recording::parse(std::string_view text) {
  if (json_depth(text) > kJsonDepthMax)
    return Error{ErrorCode::kParseError, cat("not a recording: it is nested ", json_depth(text), " levels deep")};
  try {
    Json j = Json::parse(text);
    Recording r;
    r.op = j.at("op");
    auto kind = target::parse_kind(j.at("target").get<std::string>());
    if (!kind) throw std::invalid_argument("an unknown target");
    r.target = *kind;
    r.space = j.at("space").get<Words>();
    if (!j.contains("kernels")) return r;
    r.device_json = json_line(j.at("device"));
    r.naive = times_of(j.at("naive"), 0);
    r.naive.source = hash_bytes("naive");
    for (const Json& kernel : j.at("kernels")) r.add(words_of(kernel.at(0)), kernel_of(kernel));
    return r;
  } catch (const std::exception& e) {
    return Error{ErrorCode::kParseError,
                 cat("not a recording: ", e.what(), "; record it again with scripts/record_replay")};
  }
}

std::string Recording::to_json() const {
  std::vector<std::string> choices(kernels.size());
  for (const auto& [choice, place] : candidates) choices[place] += cat(choices[place].empty() ? "" : " ", choice);
  std::string spaces;
  for (const auto& [key, words] : space)
    spaces += cat(spaces.empty() ? "" : ",", "\n  ", json_line(Json(key)), ": ", json_line(Json(words)));
  Json naive_times = Json::array();
  put_times(naive_times, naive);
  std::string text =
      cat("{\n \"op\": ", json_line(Json(op)), ",\n \"target\": ", json_line(Json(target::kind_name(target))),
          ",\n \"space\": {", spaces, "},\n \"device\": ", json_line(Json::parse(device_json)),
          ",\n \"naive\": ", json_line(naive_times), ",\n \"kernels\": [");
  // One line per kernel: differences stay readable.
  for (size_t i = 0; i < kernels.size(); ++i)
    text += cat(i ? ",\n  " : "\n  ", json_line(kernel_json(kernels[i], choices[i])));
  return text + "]\n}\n";
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
