// Figure: two axes and marks upon them, as SVG. Colours come from the page's style by the marks' classes, so that one drawing serves light
// and dark; what a pointer rests on says what it is.
#pragma once
#include <string>
#include <utility>
#include <vector>

namespace hone::report {

struct Axis {
  std::string label;  // with its unit
  double min = 0, max = 1;
  bool log = false;  // min > 0
};

// An axis over these numbers with a margin; of none, from 1 to 10.
Axis log_axis(std::string label, const std::vector<double>& numbers);
// 0.1, 0.2, 0.5, 1, …; whole decades where there are many of them.
std::vector<double> ticks(const Axis& axis);

struct Point {
  double x = 0, y = 0;
};

class Figure {
 public:
  Figure(Axis x, Axis y);
  // `kind`: a class of the page's style.
  void dot(Point at, const char* kind, const std::string& title, double radius = 3.5);
  void line(const std::vector<Point>& points, const char* kind);
  void steps(const std::vector<Point>& points, const char* kind);  // along x, then along y
  // Beside the point: above it at the right, or where that covers another label or a dot, below or at the left.
  void label(Point at, const std::string& text);
  std::string svg(const std::string& title) const;                 // `title` is what a screen reader says

 private:
  double px(double x) const;
  double py(double y) const;
  std::string frame() const;
  std::string labels() const;
  Axis x_, y_;
  std::string marks_;
  std::vector<Point> dots_;                             // pixels
  std::vector<std::pair<Point, std::string>> labels_;  // pixels of the point
};

std::string escaped(const std::string& text);

}  // namespace hone::report
