// Models exported as C, compiled by the compilers that are here, and run.
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/e2e/hone_command.h"
#include "tests/native_export/exported_model.h"

namespace hone::e2e {
namespace {

constexpr const char* kGcc = "gcc -std=c11 -O2 -Wall -Wextra -Wpedantic -Werror";
constexpr const char* kClang = "clang-14 -std=c11 -O2 -Wall -Wextra -Wpedantic -Werror";

void generate(const TempFolder& folder, const std::string& what) {
  ASSERT_EQ(std::system((HONE_SOURCE "/scripts/gen_model " + what + " --out " + (folder / "model.onnx")).c_str()), 0);
}

// Every element type that callers have, but for 8 and 16 bits with a sign.
void write_typed_model(const TempFolder& folder) {
  const std::string program = R"(
from onnx import helper as h, numpy_helper as n, save_model, TensorProto as T
import numpy, sys
v = lambda name, type, shape=[3, 5]: h.make_tensor_value_info(name, type, shape)
cast = lambda of, to, type: h.make_node('Cast', [of], [to], to=type)
nodes = [h.make_node('Where', ['mask', 'ids', 'shift'], ['picked']), h.make_node('Less', ['ids', 'shift'], ['less']),
         cast('byte', 'byte_f', T.FLOAT), cast('wide', 'wide_f', T.FLOAT), cast('half', 'half_f', T.FLOAT),
         h.make_node('Add', ['byte_f', 'wide_f'], ['part']), h.make_node('Add', ['part', 'half_f'], ['total']),
         cast('total', 'sum', T.DOUBLE), cast('total', 'short', T.INT16)]
inputs = [v('ids', T.INT64), v('mask', T.BOOL), v('byte', T.UINT8), v('wide', T.DOUBLE), v('half', T.FLOAT16, [5])]
outputs = [v('picked', T.INT64), v('less', T.BOOL), v('sum', T.DOUBLE), v('short', T.INT16)]
shift = n.from_array(numpy.array([[10, -3, 7, 0, 5]] * 3, dtype='int64'), 'shift')
save_model(h.make_model(h.make_graph(nodes, 'typed', inputs, outputs, [shift]), opset_imports=[h.make_opsetid('', 17)]), sys.argv[1])
)";
  std::ofstream(folder / "typed.py") << program;
  ASSERT_EQ(std::system(("/usr/bin/python3 '" + (folder / "typed.py") + "' '" + (folder / "model.onnx") + "'").c_str()),
            0);
}

// y: the dot product of ids: [n] of int64 with themselves.
void write_product_of_ids(const TempFolder& folder) {
  const std::string program = R"(
from onnx import helper as h, save_model, TensorProto as T
import sys
v = lambda name, shape: h.make_tensor_value_info(name, T.INT64, shape)
graph = h.make_graph([h.make_node('MatMul', ['ids', 'ids'], ['y'])], 'product', [v('ids', [40])], [v('y', [])])
save_model(h.make_model(graph, opset_imports=[h.make_opsetid('', 17)]), sys.argv[1])
)";
  std::ofstream(folder / "product.py") << program;
  ASSERT_EQ(std::system(("/usr/bin/python3 '" + (folder / "product.py") + "' '" + (folder / "model.onnx") + "'").c_str()), 0);
}

// Convolutions; products, norms and exponentials; and a loop whose trips a run counts.
constexpr const char* kModels[] = {"squeezenet --size 64", "encoder --size 16", "equilibrium --size 16"};

TEST(NativeExport, RunsOnEveryLevelWithEachCompiler) {
  // Given a model, when exported, compiled without a warning and run on each level and several numbers of threads, then its outputs are the reference's.
  for (const char* what : kModels) {
    TempFolder folder;
    generate(folder, what);
    const ExportedModel model(folder);
    ASSERT_TRUE(model.ready());
    model.compile("by_gcc", kGcc);
    model.compile("by_clang", kClang);
    EXPECT_TRUE(model.expect_right("by_gcc", 1));
    EXPECT_TRUE(model.expect_right("by_clang", 2));
    for (const char* level : {"x86_64_v2", "x86_64_v3", "x86_64_v4"})
      for (int threads : {1, 2, 5})
        if (!model.expect_right("by_gcc", threads, level))
          std::printf("not run: this processor lacks instructions of %s\n", level);
  }
}

TEST(NativeExport, SanitizersFindNothing) {
  // Given an exported encoder, when its C is compiled with sanitizers of memory, behaviour and threads and run on several threads, of two models at once, then they are silent and
  // the outputs are right.
  TempFolder folder;
  generate(folder, "encoder --size 16");
  const ExportedModel model(folder);
  ASSERT_TRUE(model.ready());
  model.compile("memory", "gcc -std=c11 -g -O1 -fsanitize=address,undefined -fno-sanitize-recover=all");
  model.compile("threads", "gcc -std=c11 -g -O1 -DTWINS -fsanitize=thread");
  EXPECT_TRUE(model.expect_right("memory", 3));
  // Some kernels spread memory wider than the sanitizer of threads knows; then it is run without.
  const bool is_wide = model.run("threads", 1).err.find("unexpected memory mapping") != std::string::npos;
  EXPECT_TRUE(model.expect_right("threads", 3, "-", is_wide ? "setarch -R" : ""));
}

TEST(NativeExport, CallersHaveTheModelsTypes) {
  // Given a model of whole numbers, logic and halves, when run, then outputs are right in their own types; a whole number beyond 32 bits is refused with its
  // place.
  TempFolder folder;
  write_typed_model(folder);
  const ExportedModel model(folder);
  ASSERT_TRUE(model.ready());
  model.compile("typed", kGcc);
  EXPECT_TRUE(model.expect_right("typed", 1));
  std::vector<double> ids(15, 1);
  ids[4] = 5e9;
  model.set_input(0, graph::from_doubles(ir::DType::kI64, {3, 5}, ids));
  const Ran ran = model.run("typed", 1);
  EXPECT_EQ(ran.code, 3);
  EXPECT_EQ(ran.err,
            "element 4 of the input ids is 5000000000; kernels know whole numbers from -2147483648 to 2147483647\n");
}

TEST(NativeExport, WhatLeaves32BitsIsSaid) {
  // Given a model of products of whole numbers of 64 bits, when run on small ones, then the outputs are right; on large ones no output is written, and the value is named.
  TempFolder folder;
  write_product_of_ids(folder);
  const ExportedModel model(folder);
  ASSERT_TRUE(model.ready());
  model.compile("product", kGcc);
  EXPECT_TRUE(model.expect_right("product", 1));
  model.set_input(0, graph::from_doubles(ir::DType::kI64, {40}, std::vector<double>(40, 10000)));
  const Ran ran = model.run("product", 2);
  EXPECT_EQ(ran.code, 3);
  EXPECT_EQ(ran.err, "the value y left the 32 bits in which kernels compute whole numbers of 64; give smaller inputs\n");
}

TEST(NativeExport, HalvesAreWidened) {
  // Given weights that are kept as halves, when exported beside kernels for browsers and run, then the folder has them once, and the outputs are those of
  // rounded weights.
  TempFolder folder;
  generate(folder, "encoder --size 16");
  const ExportedModel whole(folder);
  const auto whole_bytes = std::filesystem::file_size(whole.weights_file());
  std::filesystem::remove_all(folder / "tiny");
  const ExportedModel model(folder, {"--targets", "wasm,native", "--weights", "f16"});
  ASSERT_TRUE(model.ready());
  EXPECT_LT(std::filesystem::file_size(model.weights_file()), whole_bytes * 6 / 10);
  EXPECT_TRUE(std::filesystem::exists(folder / "tiny/manifest.json"));
  model.compile("halves", kGcc);
  EXPECT_TRUE(model.expect_right("halves", 1, "-", "", 1e-2));
}

TEST(NativeExport, WhatIsWrongIsSaidInASentence) {
  // Given an exported model, when its weights are missing, cut off or altered, or what is asked of it cannot be, then it does not open, and says why.
  TempFolder folder;
  generate(folder, "encoder --size 16");
  const ExportedModel model(folder);
  ASSERT_TRUE(model.ready());
  model.compile("app", kGcc);
  const auto expect_refused = [&](int threads, const std::string& level, const std::string& part) {
    const Ran ran = model.run("app", threads, level);
    EXPECT_EQ(ran.code, 2) << ran.err;
    EXPECT_NE(ran.err.find(part), std::string::npos) << ran.err;
  };
  expect_refused(-1, "-", "-1 threads cannot be; give 1 to 1024");
  expect_refused(5000, "-", "5000 threads cannot be");
  expect_refused(1, "x86_64_v9", "there are no kernels for 'x86_64_v9'");
  EXPECT_EQ(model.run("app", 0).code, 0);
  const std::string path = model.weights_file();
  std::fstream(path, std::ios::in | std::ios::out | std::ios::binary).seekp(100).put('x');
  expect_refused(1, "-", "has another content than was exported");
  std::ofstream(path, std::ios::app) << 'x';
  expect_refused(1, "-", "has another size than the ");
  std::filesystem::remove(path);
  expect_refused(1, "-", "cannot be opened: No such file or directory; give the folder that has the weights");
}

TEST(NativeExport, AFailedAllocationIsAnError) {
  // Given a model that is opened on three threads, when each request for memory or a thread fails in turn, then it does not open, says so, and leaves
  // nothing behind.
  TempFolder folder;
  generate(folder, "encoder --size 16");
  const ExportedModel model(folder);
  ASSERT_TRUE(model.ready());
  model.compile(
      "fails",
      "gcc -std=gnu11 -g -O1 -DFAILS -fsanitize=address -Wl,--wrap=malloc,--wrap=calloc,--wrap=pthread_create");
  int failed = 0;
  for (; failed < 100; failed++) {
    const Ran ran = model.run("fails", 3, "-", "FAIL_AT=" + std::to_string(failed));
    if (ran.code == 0) break;
    EXPECT_EQ(ran.code, 2) << ran.err;
    EXPECT_TRUE(ran.err.find("there is no memory") != std::string::npos ||
                ran.err.find("cannot be started") != std::string::npos)
        << ran.err;
  }
  EXPECT_GE(failed, 6);
  EXPECT_LT(failed, 100);
}

TEST(NativeExport, CMakeMakesALibrary) {
  // Given an exported model, when CMake builds its folder as part of a C++ project that includes the header, then the program links and runs.
  TempFolder folder;
  generate(folder, "encoder --size 16");
  const ExportedModel model(folder);
  ASSERT_TRUE(model.ready());
  std::filesystem::create_directory(folder / "project");
  std::ofstream(folder / "project/CMakeLists.txt")
      << "cmake_minimum_required(VERSION 3.13)\nproject(app C CXX)\nadd_subdirectory(../tiny/native native)\n"
         "add_executable(app app.cc)\ntarget_link_libraries(app tiny)\n";
  std::ofstream(folder / "project/app.cc")
      << "#include \"tiny.h\"\nint main(int, char** a) {\n  tiny_model* m = tiny_open(a[1], 1, nullptr, nullptr, 0);\n"
         "  tiny_close(m);\n  return m ? 0 : 1;\n}\n";
  const Ran built = model.shell("cmake -S project -B project/build && cmake --build project/build");
  ASSERT_EQ(built.code, 0) << built.out << built.err;
  EXPECT_EQ(model.shell("project/build/app tiny").code, 0);
}

TEST(NativeExport, TheRecordsOfAProcessorAreThoseOfItsLevel) {
  // Given a model that is tuned on this processor, when exported, then one level has its kernels, with and without the device's name; named for browsers alone it is
  // refused.
  TempFolder folder;
  generate(folder, "encoder --size 16");
  const auto hone = [&](std::vector<std::string> arguments, int expected) {
    HoneProcess ran(hone_in(folder, std::move(arguments)));
    EXPECT_EQ(ran.wait(std::chrono::seconds(120)), expected) << ran.err();
    return expected == 0 ? ran.out() : ran.err();
  };
  // On a busy machine no time may be found for one of the tasks; then it exits with 1.
  HoneProcess tuned(hone_in(folder, {"tune", "model.onnx", "--target", "native", "--trials", "3"}));
  EXPECT_LE(tuned.wait(std::chrono::seconds(120)), 1) << tuned.err();
  const std::string device = nlohmann::json::parse(hone({"records", "list", "--json"}, 0))["records"][0]["device_key"];
  const auto expect_one_level = [&](std::vector<std::string> arguments) {
    const auto exported = nlohmann::json::parse(hone(std::move(arguments), 0));
    int levels = 0;
    for (const auto& plan : exported["plans"]) levels += plan["schedules"]["tuned"] > 0;
    EXPECT_EQ(levels, 1) << exported;
  };
  expect_one_level({"export", "model.onnx", "--out", "all", "--targets", "native", "--json"});
  expect_one_level({"export", "model.onnx", "--out", "named", "--targets", "native", "--device", device, "--json"});
  EXPECT_NE(hone({"export", "model.onnx", "--out", "web", "--targets", "wasm", "--device", device}, 1)
                .find("runs native kernels, which are not exported"),
            std::string::npos);
}

TEST(NativeExport, TheDocumentsExampleRuns) {
  // Given the example of docs/packages.md, when its program is compiled by its command, then it runs.
  TempFolder folder;
  std::stringstream document;
  document << std::ifstream(HONE_SOURCE "/docs/packages.md").rdbuf();
  const std::string text = document.str();
  const auto between = [&](const std::string& begin, const std::string& end) {
    const size_t first = text.find(begin, text.find("## Native")) + begin.size();
    return text.substr(first, text.find(end, first) - first);
  };
  std::ofstream(folder / "app.c") << between("```c\n", "```");
  generate(folder, "resnet18 --size 32");
  HoneProcess made(hone_in(folder, {"export", "model.onnx", "--out", "resnet18", "--targets", "native"}));
  ASSERT_EQ(made.wait(std::chrono::seconds(120)), 0) << made.err();
  const std::string line = "cd '" + folder.path() + "' && cc " + between("    cc ", "\n") + " && ./app > app.txt";
  EXPECT_EQ(std::system(line.c_str()), 0) << line;
  std::string report;
  std::getline(std::ifstream(folder / "app.txt"), report);
  EXPECT_NE(report.find(": done "), std::string::npos) << report;
}

// Slow: its compiler is installed by scripts/test --all.
TEST(NativeExport, RunsOnAnEmulatedAarch64) {
  // Given an exported model, when compiled for AArch64 and run by an emulator, then its outputs are the reference's.
  if (std::system("command -v aarch64-linux-gnu-gcc qemu-aarch64 >/dev/null") != 0)
    GTEST_SKIP() << "aarch64-linux-gnu-gcc or qemu-aarch64 is not installed; scripts/test --all installs them";
  for (const char* what : kModels) {
    TempFolder folder;
    generate(folder, what);
    const ExportedModel model(folder);
    ASSERT_TRUE(model.ready());
    model.compile("by_cross_gcc", "aarch64-linux-gnu-gcc -static -std=c11 -O2 -Wall -Wextra -Wpedantic -Werror",
                  "kernels-aarch64.o");
    EXPECT_TRUE(model.expect_right("by_cross_gcc", 1, "aarch64", "qemu-aarch64"));
    EXPECT_TRUE(model.expect_right("by_cross_gcc", 2, "aarch64", "qemu-aarch64"));
  }
}

}  // namespace
}  // namespace hone::e2e
