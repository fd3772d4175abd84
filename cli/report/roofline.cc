#include <algorithm>
#include <cmath>

#include "base/cat.h"
#include "base/number_text.h"
#include "cli/report/drawings.h"
#include "cli/report/figure.h"

namespace hone::report {

namespace {

constexpr size_t kLabelledMax = 99;  // numbers of two digits: the labels of more kernels would cover the figure

struct Kernel {
  size_t number = 0;  // of its task in the report, from 1
  std::string task;
  double intensity = 0;  // flop/B
  double gflops = 0;     // 10⁹ flop/s
  double gigabytes_s() const { return gflops / intensity; }
};

std::vector<Kernel> fastest_kernels(const JobCourse& course) {
  std::vector<Kernel> kernels;
  for (size_t i = 0; i < course.tasks.size(); ++i) {
    const TaskCourse& task = course.tasks[i];
    const double us = best_us(task), bytes = argument_bytes(task.task.canonical_text);
    if (us > 0 && bytes > 0 && std::isfinite(bytes) && task.task.flops > 0)
      kernels.push_back({i + 1, task.task.name, task.task.flops / bytes, task.task.flops / us / 1000});
  }
  return kernels;
}

std::vector<Point> roof(const Axis& x, double gflops_max, double gigabytes_s_max) {
  const double ridge = gflops_max / gigabytes_s_max;
  return {{x.min, x.min * gigabytes_s_max}, {ridge, gflops_max}, {x.max, gflops_max}};
}

}  // namespace

std::string roofline(const JobCourse& course) {
  const std::vector<Kernel> kernels = fastest_kernels(course);
  if (kernels.empty()) return "";
  double gflops_max = 0, gigabytes_s_max = 0;
  for (const Kernel& k : kernels) {
    gflops_max = std::max(gflops_max, k.gflops);
    gigabytes_s_max = std::max(gigabytes_s_max, k.gigabytes_s());
  }
  std::vector<double> intensities{gflops_max / gigabytes_s_max}, speeds{gflops_max};
  for (const Kernel& k : kernels) {
    intensities.push_back(k.intensity);
    speeds.push_back(k.gflops);
  }
  Axis x = log_axis("flop per byte of the arguments", intensities);
  x.min /= 2;
  x.max *= 2;
  speeds.push_back(x.min * gigabytes_s_max);
  Figure figure(x, log_axis("GFLOP/s", speeds));
  figure.line(roof(x, gflops_max, gigabytes_s_max), "guide");
  for (const Kernel& k : kernels) {
    figure.dot({k.intensity, k.gflops}, "best",
               cat(k.task, ": ", number_text(k.gflops), " GFLOP/s, ", number_text(k.gigabytes_s()), " GB/s"));
    if (kernels.size() > 1 && k.number <= kLabelledMax) figure.label({k.intensity, k.gflops}, cat(k.number));
  }
  return cat(
      "<figure><h2>Roofline</h2>\n<p>Each task's fastest kernel. The roofs are the most that a kernel of this job "
      "reached, ",
      number_text(gflops_max), " GFLOP/s and ", number_text(gigabytes_s_max),
      " GB/s of its arguments; the device may do more.</p>\n", figure.svg("roofline of the tasks' fastest kernels"),
      "</figure>\n");
}

}  // namespace hone::report
