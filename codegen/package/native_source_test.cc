#include "codegen/package/native_source.h"

#include <gtest/gtest.h>

#include "codegen/package/native_runtime.h"

namespace hone::package {
namespace {

protocol::Manifest tiny() {
  protocol::Manifest manifest;
  manifest.model = "tiny\n*/ model";
  manifest.inputs = {{"image", "f32", {1, 3, 2, 2}}, {"class", "i64", {}}, {"half", "f16", {4}}};
  manifest.outputs = {{"scores", "f64", {1, 5}}, {"image", "bool", {0, 5}}};
  manifest.weights = {{"f16", {2, 3}, 0, 12}, {"i32", {}, 16, 4}};
  protocol::Asset& chunk = manifest.chunks.emplace_back();
  chunk.file = "weights-0a.bin", chunk.bytes = 20, chunk.sha256 = std::string(64, '0');
  return manifest;
}

constexpr const char* kHeader =
    R"(// The model "tiny\012*/ model", exported by hone 1. With an app.c of yours, on Linux:
//
//   cc -O2 -pthread app.c tiny.c kernels-x86_64_*.o -lm     x86-64, from x86-64-v2 on; the best kernels are chosen when it runs
//   cc -O2 -pthread app.c tiny.c kernels-aarch64.o -lm      AArch64
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Elements are row-major, `v` has the model's shape.
typedef struct { float v[1][3][2][2]; } tiny_image;  // the input "image": f32 [1, 3, 2, 2]
typedef struct { int64_t v[1]; } tiny_class_2;  // the input "class": i64 []
typedef struct { float v[4]; } tiny_half;  // the input "half": f16 [4]
typedef struct { double v[1][5]; } tiny_scores;  // the output "scores": f64 [1, 5]
typedef struct { bool v[1]; } tiny_image_2;  // the output "image": bool [0, 5]

typedef struct {
  const tiny_image *image;
  const tiny_class_2 *class_2;
  const tiny_half *half;
} tiny_inputs;

// One that is NULL is not wanted.
typedef struct {
  tiny_scores *scores;
  tiny_image_2 *image_2;
} tiny_outputs;

typedef struct tiny_model tiny_model;

// Reads the weights and starts the threads. weights: the folder of weights-….bin. threads: those that a run computes on, the caller's among them; 0: one
// for each processor. level: NULL for the best kernels that this processor runs, or "x86_64_v2" and the like. NULL: failed, and `error`, of error_bytes
// bytes, has a sentence that says why.
tiny_model *tiny_open(const char *weights, int threads, const char *level, char *error, size_t error_bytes);

// NULL: the outputs are written. Else a sentence that says what is wrong with the inputs, or which whole number of 64 bits left the 32 in which it is
// computed, valid until the model runs again or is closed. A model has one run at a time; several models may run at once.
const char *tiny_run(tiny_model *model, const tiny_inputs *inputs, const tiny_outputs *outputs);

// Of the kernels that run.
const char *tiny_level(const tiny_model *model);

// model: may be NULL.
void tiny_close(tiny_model *model);

#ifdef __cplusplus
}
#endif
)";

TEST(NativeSource, TheHeaderHasEveryInputAndOutputAsAType) {
  // Given a model with a scalar, an empty tensor, names that are keywords or twice there, and a name that would end a comment, when its header is
  // written, then it is this one.
  EXPECT_EQ(native_header(tiny(), {"tiny", "hone 1"}), kHeader);
}

NativeProgram program_of(const target::CpuLevel& level) {
  NativeProgram program;
  program.level = level;
  program.launches = {{"tiny_k", 7, {64, 0}}, {"tiny_k", 7, {0, 128}}};
  program.weights = {{1, 64, {}}, {0, 128, {.dims = {{0, 4, 1}, {1, 1, 3}, {0, 1, 4}}}}};
  program.memory_bytes = 192, program.scratch_bytes = 64, program.reach_bytes = 128;
  return program;
}

void expect_within(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << part << " is not in\n" << text;
}

TEST(NativeSource, TablesSayWhereEverythingLies) {
  // Given a program of one level, when the source is written, then launches have their arguments and one more for scratch memory, weights their layouts,
  // files their digests, and what is empty a row that nobody reads.
  const std::string text = native_source(tiny(), {"tiny", "hone 1"}, {program_of(target::cpu_levels().front())});
  expect_within(text,
                "hone_entry tiny_k;\nstatic const hone_launch x86_64_v4_launches[] = {\n    {tiny_k, 7, 0, 3},\n    "
                "{tiny_k, 7, 3, 3},\n};\n");
  expect_within(text, "x86_64_v4_args[] = {\n    64, 0, 0,\n    0, 128, 0,\n};\n");
  expect_within(text, "{1, 64, 0, NULL},\n    {0, 128, 3, (const hone_dim[]){{0, 4, 1}, {1, 1, 3}, {0, 1, 4}}},\n");
  expect_within(text, "x86_64_v4_inputs[] = {\n    {0, 0, 0, NULL},\n};\n");
  expect_within(text, "{NULL, HONE_F16, 2, (const int64_t[]){2, 3}, 0},\n    {NULL, HONE_I32, 0, NULL, 16},\n");
  expect_within(text, "{\"half\", HONE_F32, 1, (const int64_t[]){4}, 0},\n");
  expect_within(text, "{\"weights-0a.bin\", 20, {0x00, ");
  expect_within(text, "     192, 64, 128},\n");
}

TEST(NativeSource, EachArchitectureHasItsLevels) {
  // Given programs of all levels, when the source is written, then those of an architecture are compiled for it alone, the best first.
  std::vector<NativeProgram> programs;
  for (const target::CpuLevel& level : target::cpu_levels()) programs.push_back(program_of(level));
  const std::string text = native_source(tiny(), {"tiny", "hone 1"}, programs);
  const auto at = [&](const char* part) { return text.find(part); };
  EXPECT_LT(at("#if defined(__x86_64__)"), at("hone_has_x86_64_v4"));
  EXPECT_LT(at("hone_has_x86_64_v4"), at("hone_has_x86_64_v3"));
  EXPECT_LT(at("hone_has_x86_64_v3"), at("hone_has_x86_64_v2"));
  EXPECT_LT(at("hone_has_x86_64_v2"), at("#elif defined(__aarch64__)"));
  EXPECT_LT(at("#elif defined(__aarch64__)"), at("hone_has_aarch64"));
}

TEST(NativeSource, TheRuntimeComesWithIt) {
  // Given what is embedded, when looked at, then the file that the source includes is there, and each that one of them includes.
  const auto& files = native_runtime();
  ASSERT_TRUE(files.count("hone_model.h"));
  for (const auto& [name, text] : files)
    for (size_t at = 0; (at = text.find("#include \"", at)) != std::string_view::npos; at++) {
      const size_t first = at + 10, last = text.find('"', first);
      EXPECT_TRUE(files.count(text.substr(first, last - first)))
          << name << " includes " << text.substr(first, last - first);
    }
}

}  // namespace
}  // namespace hone::package
