// A job's course as a page.
#pragma once
#include <string>

#include "cli/report/course.h"

namespace hone::report {

// One HTML document without scripts or anything from elsewhere, for light and dark: a roofline of the job, and per task its drawings.
std::string page(const JobCourse& course);

}  // namespace hone::report
