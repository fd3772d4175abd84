// write_wasm_conformance FILE CASES [OPERATOR]: every operator, or this one, in its first CASES random cases, as kernels for tests/wasm/run_wasm.mjs.
#include <cstdio>
#include <cstdlib>

#include "base/cat.h"
#include "tests/conformance/report.h"
#include "tests/conformance/schedules.h"

namespace hone::conformance {
namespace {

// By turns without and with relaxed SIMD, and with the shared memory of several workers.
target::Target target_of(size_t turn) {
  target::Target t = target::wasm_default();
  t.has_relaxed_simd = turn % 3 == 1;
  t.has_threads = turn % 3 == 2;
  return t;
}

void add(WasmCorpus& corpus, const Subject& subject, int number, Report& report) {
  size_t turn = static_cast<size_t>(number);
  for (const Scheduled& one : schedules_of(subject, number, target_of(turn), report.omissions)) {
    const target::Target target = target_of(turn++);
    if (!corpus.add_task(cat(subject.name, ", ", one.source, " ", schedule::trace_to_json(one.trace)), subject.task,
                         subject.values, one.trace, target))
      ++report.omissions["a limit refused a trace"];
  }
}

int run(const char* path, int cases, const std::vector<Operator>& operators) {
  WasmCorpus corpus;
  Report report;
  for (const Operator& op : operators)
    for (int number = 0; number < cases; ++number) {
      const std::vector<Subject> subjects = subjects_of(op, number, report.omissions);
      report.count(op, subjects);
      for (const Subject& subject : subjects) add(corpus, subject, number, report);
    }
  report.kernels = static_cast<int>(corpus.size());
  report.print("WebAssembly");
  return corpus.write(path) ? 0 : 1;
}

}  // namespace
}  // namespace hone::conformance

int main(int argc, char** argv) {
  CHECK(argc == 3 || argc == 4, "usage: write_wasm_conformance FILE CASES [OPERATOR]");
  return hone::conformance::run(argv[1], std::atoi(argv[2]),
                                hone::conformance::operators_named(argc > 3 ? argv[3] : ""));
}
