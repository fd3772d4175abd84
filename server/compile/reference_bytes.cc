#include "server/compile/reference_bytes.h"

#include <cmath>

#include "base/byte_reader.h"
#include "base/byte_writer.h"
#include "base/sha256.h"

namespace hone::server {

namespace {

constexpr size_t kDigestDigits = 64;

class ReferenceWriter : private ByteWriter {
 public:
  std::string write(const emit::Reference& reference) && {
    number(reference.tolerance);
    list(reference.ranges, [this](const ValueRange& range) { number(range.low), number(range.high), number(range.step); });
    numbers(reference.more_seeds);
    list(reference.sets, [this](const emit::Outputs& set) { list(set, [this](const std::vector<float>& output) { values(output); }); });
    return std::move(*this).take();
  }

 private:
  void values(const std::vector<float>& output) { text({reinterpret_cast<const char*>(output.data()), output.size() * sizeof(float)}); }
};

class ReferenceReader : private ByteReader {
 public:
  explicit ReferenceReader(std::string_view bytes) : ByteReader(bytes) {}

  std::optional<emit::Reference> read(const te::Program& program) {
    emit::Reference reference;
    reference.tolerance = number<double>();
    list([&] { reference.ranges.push_back(range()); });
    reference.more_seeds = numbers<uint64_t>();
    list([&] { reference.sets.push_back(set(program)); });
    expect(at_end(), "more than a reference");
    expect(std::isfinite(reference.tolerance) && reference.tolerance >= 0, "a tolerance is none");
    expect(reference.ranges.size() == program.inputs.size(), "the ranges are not the inputs'");
    expect(reference.sets.size() == reference.more_seeds.size() + 1 && reference.sets.size() <= size_t{emit::kInputSetsMax}, "the sets are not the seeds'");
    if (wrong()) return std::nullopt;
    return reference;
  }

 private:
  ValueRange range() {
    const auto low = number<double>(), high = number<double>(), step = number<double>();
    expect(std::isfinite(low) && std::isfinite(high) && low <= high && std::isfinite(step) && step >= 0, "a range is none");
    return {low, high, step};
  }
  emit::Outputs set(const te::Program& program) {
    emit::Outputs outputs;
    list([&] { outputs.push_back(values()); });
    bool fits = outputs.size() == program.outputs.size();
    for (size_t o = 0; fits && o < outputs.size(); ++o) fits = static_cast<int64_t>(outputs[o].size()) == ir::element_count(program.outputs[o]->shape);
    expect(fits, "a set is not that of the outputs");
    return outputs;
  }
  std::vector<float> values() {
    const std::string bytes = text();
    std::vector<float> values(bytes.size() / sizeof(float));
    if (!values.empty()) std::memcpy(values.data(), bytes.data(), values.size() * sizeof(float));
    return values;
  }
};

}  // namespace

// SHA-256 of the rest in hexadecimal; then the rest.
std::string reference_to_bytes(const emit::Reference& reference) {
  const std::string body = ReferenceWriter().write(reference);
  return sha256_hex(body) + body;
}

std::optional<emit::Reference> reference_from_bytes(std::string_view bytes, const te::Program& program) {
  if (bytes.size() < kDigestDigits || sha256_hex(bytes.substr(kDigestDigits)) != bytes.substr(0, kDigestDigits)) return std::nullopt;
  return ReferenceReader(bytes.substr(kDigestDigits)).read(program);
}

}  // namespace hone::server
