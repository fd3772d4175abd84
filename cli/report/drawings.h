// The drawings of a job's report, each as HTML with its heading; "" where there is nothing to draw.
#pragma once
#include <string>

#include "cli/report/course.h"

namespace hone::report {

// The best time after each trial, over all trials' times, each as its best-founded attempt has it, with yardstick and first seed as lines.
// (curve.cc)
std::string curve(const TaskCourse& course);
// What the model expected of each trial against what was measured. (predictions.cc)
std::string predictions(const TaskCourse& course);
// How much each decision explains of the times, as bars. (bars.cc)
std::string importance(const TaskCourse& course);
// How the trials ended, as bars. (bars.cc)
std::string outcomes(const TaskCourse& course);
// Each task's fastest kernel by arithmetic intensity, under the roofs that the job's kernels reached. (roofline.cc)
std::string roofline(const JobCourse& course);

}  // namespace hone::report
