#include "cli/report/figure.h"

#include <gtest/gtest.h>

namespace hone::report {
namespace {

TEST(Figure, TicksAreRoundNumbers) {
  // Given axes of few and of many decades, and a linear one, when their ticks are asked, then they are 1, 2 and 5, whole decades, and equal steps.
  EXPECT_EQ(ticks({.min = 0.9, .max = 12, .log = true}), (std::vector<double>{1, 2, 5, 10}));
  EXPECT_EQ(ticks({.min = 1.4, .max = 4.5, .log = true}), (std::vector<double>{1.5, 2, 3, 4}));
  const std::vector<double> decades = ticks({.min = 0.05, .max = 200, .log = true});
  ASSERT_EQ(decades.size(), 4u);
  EXPECT_NEAR(decades[0], 0.1, 1e-12);
  EXPECT_EQ(ticks({.min = 0, .max = 64}), (std::vector<double>{0, 20, 40, 60}));
  EXPECT_EQ(ticks({.min = 0, .max = 1}), (std::vector<double>{0, 0.2, 0.4, 0.6000000000000001, 0.8, 1}));
}

TEST(Figure, MarksLieWhereTheAxesSay) {
  // Given a logarithmic and a linear axis, when points at their ends and their middles are drawn, then they lie at the frame's.
  Figure figure({.label = "x", .min = 0, .max = 10}, {.label = "y", .min = 1, .max = 100, .log = true});
  figure.dot({0, 1}, "a", "low");
  figure.dot({5, 10}, "a", "middle");
  figure.line({{0, 1}, {10, 100}}, "b");
  figure.steps({{0, 1}, {10, 100}}, "c");
  const std::string svg = figure.svg("a <figure>");
  EXPECT_NE(svg.find("cx='56.0' cy='224.0'"), std::string::npos) << svg;
  EXPECT_NE(svg.find("cx='261.0' cy='123.0'"), std::string::npos) << svg;
  EXPECT_NE(svg.find("class='b' d='M56.0 224.0L466.0 22.0'"), std::string::npos) << svg;
  EXPECT_NE(svg.find("class='c' d='M56.0 224.0H466.0V22.0'"), std::string::npos) << svg;
  EXPECT_NE(svg.find("a &lt;figure&gt;"), std::string::npos) << svg;
}

TEST(Figure, LabelsAvoidEachOtherAndTheDots) {
  // Given points side by side, when each has a label, then the first is above its point at the right, the next ones where neither a label nor a
  // point is, and a point at the edge has its label at the left.
  Figure figure({.label = "x", .min = 0, .max = 410}, {.label = "y", .min = 0, .max = 202});
  const std::vector<Point> points{{100, 100}, {104, 102}, {409, 100}};
  for (const Point& point : points) figure.dot(point, "a", "");
  for (size_t i = 0; i < points.size(); ++i) figure.label(points[i], std::to_string(i + 8));
  const std::string svg = figure.svg("");
  EXPECT_NE(svg.find("<text x='162.0' y='118.0' text-anchor='start' class='name'>8<"), std::string::npos) << svg;
  EXPECT_NE(svg.find("<text x='166.0' y='136.0' text-anchor='start' class='name'>9<"), std::string::npos) << svg;
  EXPECT_NE(svg.find("<text x='459.0' y='118.0' text-anchor='end' class='name'>10<"), std::string::npos) << svg;
}

}  // namespace
}  // namespace hone::report
