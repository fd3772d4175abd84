// A job's course as a page.
#pragma once
#include <string>

#include "cli/record_views.h"

namespace hone::cli {

// One self-contained HTML document: per task the best time after each trial, drawn as steps.
std::string job_report_page(const JobCourse& course);

}  // namespace hone::cli
