// The schemas of schema/cli, as a test holds outputs against them.
#pragma once
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <string>

#include "tests/e2e/hone_command.h"

namespace hone::e2e {

// What Debian's python3-jsonschema finds wrong with this JSON text by the schema of that name; "" where nothing is.
inline std::string faults_by_schema(const TempFolder& folder, const std::string& name, const std::string& json) {
  const std::string schemas = std::string(HONE_SOURCE) + "/schema/cli/", file = folder / "instance.json";
  std::ofstream(file) << json;
  FILE* pipe = popen(("/usr/bin/python3 -W ignore -m jsonschema --base-uri file://" + schemas + " -i " + file + " " +
                      schemas + name + ".json 2>&1 || echo refused")
                         .c_str(),
                     "r");
  std::array<char, 4096> buffer;
  std::string found;
  for (size_t n; (n = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) found.append(buffer.data(), n);
  pclose(pipe);
  return found;
}

// Runs hone with --json; what it prints must fit the schema. Returns that.
inline std::string expect_schema(const TempFolder& folder, const std::string& name, std::vector<std::string> arguments,
                                 int code = 0) {
  arguments.insert(arguments.end(), {"--json", "--quiet"});
  HoneProcess process(hone_in(folder, arguments));
  EXPECT_EQ(process.wait(std::chrono::seconds(240)), code) << name << ": " << process.err();
  EXPECT_EQ(faults_by_schema(folder, name, process.out()), "") << name << ": " << process.out();
  return process.out();
}

}  // namespace hone::e2e
