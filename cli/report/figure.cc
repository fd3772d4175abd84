#include "cli/report/figure.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "base/cat.h"
#include "base/number_text.h"

namespace hone::report {

namespace {

constexpr double kWidth = 480, kHeight = 260, kLeft = 56, kRight = 14, kTop = 22, kBottom = 36;  // pixels
constexpr double kMargin = 1.15;  // of a logarithmic axis, at both ends, as a factor
constexpr double kTicksWanted = 5;
constexpr double kLeastShown = 1e-15, kMostShown = 1e18;  // on a logarithmic axis

std::string coordinate(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value);
  return text;
}

// Where a value lies between the axis's ends, 0 to 1.
double share(const Axis& axis, double value) {
  if (axis.log) return std::log(value / axis.min) / std::log(axis.max / axis.min);
  return (value - axis.min) / (axis.max - axis.min);
}

std::vector<double> steps_in_a_decade(const Axis& axis) {
  const double decades = std::log10(axis.max / axis.min);
  if (decades < 0.9) return {1, 1.5, 2, 3, 4, 6, 8};
  return decades < 2.5 ? std::vector<double>{1, 2, 5} : std::vector<double>{1};
}

std::string tick_text(double value) {
  std::string text = number_text(value);
  if (text.find('.') == std::string::npos) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

std::string text_at(double x, double y, const char* anchor, const std::string& text, const char* more = "") {
  return cat("<text x='", coordinate(x), "' y='", coordinate(y), "' text-anchor='", anchor, "'", more, ">",
             escaped(text), "</text>");
}

std::string segment(double x1, double y1, double x2, double y2) {
  return cat("<line x1='", coordinate(x1), "' y1='", coordinate(y1), "' x2='", coordinate(x2), "' y2='", coordinate(y2),
             "'/>");
}

// Pixels.
struct Box {
  double left = 0, top = 0, right = 0, bottom = 0;
  bool covers(const Box& o) const { return left < o.right && o.left < right && top < o.bottom && o.top < bottom; }
};

constexpr double kGlyphWidth = 6.5, kGlyphHeight = 9;  // of a label, about
constexpr double kDotRadius = 3.5;

struct LabelPlace {
  double x = 0, y = 0;  // where the text's baseline begins, or ends
  const char* anchor = "start";
  Box box;
};

LabelPlace place_at(Point baseline, bool at_left, const std::string& text) {
  const double width = kGlyphWidth * static_cast<double>(text.size());
  const double left = at_left ? baseline.x - width : baseline.x;
  return {baseline.x, baseline.y, at_left ? "end" : "start",
          {left, baseline.y - kGlyphHeight, left + width, baseline.y}};
}

// The usual one first.
std::vector<LabelPlace> places_beside(Point at, const std::string& text) {
  return {place_at({at.x + 6, at.y - 6}, false, text), place_at({at.x + 6, at.y + 14}, false, text),
          place_at({at.x - 6, at.y - 6}, true, text), place_at({at.x - 6, at.y + 14}, true, text)};
}

Box around(Point dot) {
  return {dot.x - kDotRadius, dot.y - kDotRadius, dot.x + kDotRadius, dot.y + kDotRadius};
}

}  // namespace

std::string escaped(const std::string& text) {
  std::string out;
  for (char c : text)
    out += c == '<'    ? "&lt;"
           : c == '>'  ? "&gt;"
           : c == '&'  ? "&amp;"
           : c == '"'  ? "&quot;"
           : c == '\'' ? "&#39;"
                       : std::string(1, c);
  return out;
}

Axis log_axis(std::string label, const std::vector<double>& numbers) {
  Axis axis{.label = std::move(label), .min = 1, .max = 10, .log = true};
  if (numbers.empty()) return axis;
  // Of numbers that are none the axis has an end still: a tick for each decade down to 0 would never be done.
  axis.min = std::clamp(*std::min_element(numbers.begin(), numbers.end()) / kMargin, kLeastShown, kMostShown);
  axis.max = std::clamp(*std::max_element(numbers.begin(), numbers.end()) * kMargin, axis.min * kMargin, kMostShown);
  return axis;
}

std::vector<double> ticks(const Axis& axis) {
  std::vector<double> out;
  auto add = [&](double value) {
    if (value >= axis.min * (1 - 1e-9) && value <= axis.max * (1 + 1e-9)) out.push_back(value);
  };
  if (axis.log) {
    const int first = static_cast<int>(std::floor(std::log10(axis.min)));
    const int last = static_cast<int>(std::ceil(std::log10(axis.max)));
    for (int decade = first; decade <= last; ++decade)
      for (double factor : steps_in_a_decade(axis)) add(factor * std::pow(10, decade));
    return out;
  }
  const double rough = (axis.max - axis.min) / kTicksWanted, decade = std::pow(10, std::floor(std::log10(rough)));
  double step = 10 * decade;
  for (double factor : {5, 2, 1})
    if (factor * decade >= rough) step = factor * decade;
  for (double value = std::ceil(axis.min / step) * step; value <= axis.max; value += step) add(value);
  return out;
}

Figure::Figure(Axis x, Axis y) : x_(std::move(x)), y_(std::move(y)) {}

double Figure::px(double x) const { return kLeft + (kWidth - kLeft - kRight) * share(x_, x); }
double Figure::py(double y) const { return kHeight - kBottom - (kHeight - kTop - kBottom) * share(y_, y); }

void Figure::dot(Point at, const char* kind, const std::string& title, double radius) {
  dots_.push_back({px(at.x), py(at.y)});
  marks_ += cat("<circle class='", kind, "' cx='", coordinate(px(at.x)), "' cy='", coordinate(py(at.y)), "' r='",
                coordinate(radius), "'><title>", escaped(title), "</title></circle>\n");
}

void Figure::line(const std::vector<Point>& points, const char* kind) {
  std::string path;
  for (const Point& p : points) path += cat(path.empty() ? "M" : "L", coordinate(px(p.x)), " ", coordinate(py(p.y)));
  marks_ += cat("<path class='", kind, "' d='", path, "'/>\n");
}

void Figure::steps(const std::vector<Point>& points, const char* kind) {
  std::string path;
  for (const Point& p : points)
    path += path.empty() ? cat("M", coordinate(px(p.x)), " ", coordinate(py(p.y)))
                         : cat("H", coordinate(px(p.x)), "V", coordinate(py(p.y)));
  marks_ += cat("<path class='", kind, "' d='", path, "'/>\n");
}

void Figure::label(Point at, const std::string& text) {
  labels_.push_back({{px(at.x), py(at.y)}, text});
}

// One after the other, each at the first place that is free; where none is, at the usual one.
std::string Figure::labels() const {
  const Box inside{kLeft, 0, kWidth, kHeight - kBottom};
  std::vector<Box> taken;
  for (const Point& dot : dots_) taken.push_back(around(dot));
  std::string out;
  for (const auto& [at, text] : labels_) {
    const std::vector<LabelPlace> places = places_beside(at, text);
    auto free = std::find_if(places.begin(), places.end(), [&](const LabelPlace& place) {
      const bool fits = place.box.left >= inside.left && place.box.right <= inside.right &&
                        place.box.top >= inside.top && place.box.bottom <= inside.bottom;
      return fits && std::none_of(taken.begin(), taken.end(), [&](const Box& box) { return box.covers(place.box); });
    });
    const LabelPlace& chosen = free == places.end() ? places.front() : *free;
    taken.push_back(chosen.box);
    out += text_at(chosen.x, chosen.y, chosen.anchor, text, " class='name'");
  }
  return out;
}

std::string Figure::frame() const {
  const double left = kLeft, right = kWidth - kRight, top = kTop, bottom = kHeight - kBottom;
  std::string out;
  for (double x : ticks(x_))
    out += segment(px(x), top, px(x), bottom) + text_at(px(x), bottom + 15, "middle", tick_text(x));
  for (double y : ticks(y_))
    out += segment(left, py(y), right, py(y)) + text_at(left - 6, py(y) + 4, "end", tick_text(y));
  return cat(out, text_at(right, kHeight - 4, "end", x_.label), text_at(4, 12, "start", y_.label), "\n");
}

std::string Figure::svg(const std::string& title) const {
  return cat("<svg viewBox='0 0 ", static_cast<int>(kWidth), " ", static_cast<int>(kHeight),
             "' role='img' aria-label='", escaped(title), "'>", frame(), marks_, labels(), "</svg>\n");
}

}  // namespace hone::report
