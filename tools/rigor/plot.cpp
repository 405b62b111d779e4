#include "tools/rigor/plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace rigor {
namespace {

constexpr double kWidth = 720.0, kHeight = 480.0;                           // px, of the whole
constexpr double kLeft = 76.0, kRight = 20.0, kTop = 40.0, kBottom = 56.0;  // px, around the axes
// Colours that the colour-blind tell apart (Okabe and Ito).
constexpr const char* kColours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                    "#e69f00", "#56b4e9", "#000000"};

std::string escape(const std::string& text) {
  std::string out;
  for (const char c : text)
    out += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
  return out;
}

// One axis: from values to pixels, with round ticks.
struct Axis {
  double low{0.0}, high{1.0};
  bool is_log{false};

  void cover(const std::vector<PlotCurve>& curves, std::vector<double> PlotCurve::*values) {
    low = INFINITY, high = -INFINITY;
    for (const PlotCurve& curve : curves)
      for (const double raw : curve.*values) {
        const double value = is_log ? std::log10(raw) : raw;
        if (std::isfinite(value)) low = std::min(low, value), high = std::max(high, value);
      }
    if (!(low <= high)) low = 0.0, high = 1.0;
    const double margin = high > low ? 0.05 * (high - low) : std::max(0.5, 0.1 * std::abs(high));
    low -= margin, high += margin;
  }
  [[nodiscard]] double place(double raw) const {
    return ((is_log ? std::log10(raw) : raw) - low) / (high - low);
  }
  [[nodiscard]] std::vector<double> ticks() const {
    if (is_log) {
      std::vector<double> list;
      const double stride = std::max(1.0, std::ceil((high - low) / 8.0));
      for (double e = std::ceil(low); e <= high; e += stride) list.push_back(std::pow(10.0, e));
      return list;
    }
    const double rough = (high - low) / 6.0, power = std::pow(10.0, std::floor(std::log10(rough)));
    double step = power;
    for (const double factor : {2.0, 5.0, 10.0})
      if (step < rough) step = factor * power;
    std::vector<double> list;
    for (double k = std::ceil(low / step); k * step <= high; k += 1.0) list.push_back(k * step);
    return list;
  }
};

// The shorter axis gets more room until one unit is as long along both.
void make_equal(Axis& x, Axis& y) {
  const double wide = kWidth - kLeft - kRight, tall = kHeight - kTop - kBottom;
  const double unit = std::max((x.high - x.low) / wide, (y.high - y.low) / tall);
  const auto widen = [unit](Axis& axis, double pixels) {
    const double middle = 0.5 * (axis.low + axis.high);
    axis.low = middle - 0.5 * unit * pixels;
    axis.high = middle + 0.5 * unit * pixels;
  };
  widen(x, wide);
  widen(y, tall);
}

}  // namespace

std::string to_svg(const Plot& plot) {
  Axis x_axis, y_axis;
  x_axis.is_log = plot.log_x;
  y_axis.is_log = plot.log_y;
  x_axis.cover(plot.curves, &PlotCurve::x);
  y_axis.cover(plot.curves, &PlotCurve::y);
  if (plot.equal_axes) make_equal(x_axis, y_axis);
  const double wide = kWidth - kLeft - kRight, tall = kHeight - kTop - kBottom;
  const auto px = [&](double x) { return kLeft + wide * x_axis.place(x); };
  const auto py = [&](double y) { return kTop + tall * (1.0 - y_axis.place(y)); };

  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" font-family=\"sans-serif\" "
      "font-size=\"13\">\n<rect width=\"{0}\" height=\"{1}\" fill=\"white\"/>\n"
      "<text x=\"{2}\" y=\"24\" font-size=\"16\">{3}</text>\n",
      kWidth, kHeight, kLeft, escape(plot.title));
  for (const double tick : x_axis.ticks())
    svg += fmt::format(
        "<path d=\"M{0:.1f} {1}V{2}\" stroke=\"#ddd\"/><text x=\"{0:.1f}\" y=\"{3}\" "
        "text-anchor=\"middle\">{4:.4g}</text>\n",
        px(tick), kTop, kTop + tall, kTop + tall + 18.0, std::abs(tick) < 1e-12 ? 0.0 : tick);
  for (const double tick : y_axis.ticks())
    svg += fmt::format(
        "<path d=\"M{0} {1:.1f}H{2}\" stroke=\"#ddd\"/><text x=\"{3}\" y=\"{4:.1f}\" "
        "text-anchor=\"end\">{5:.4g}</text>\n",
        kLeft, py(tick), kLeft + wide, kLeft - 6.0, py(tick) + 4.0, std::abs(tick) < 1e-12 ? 0.0 : tick);
  svg += fmt::format(
      "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"#444\"/>\n"
      "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n"
      "<text transform=\"translate(18 {}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
      kLeft, kTop, wide, tall, kLeft + 0.5 * wide, kHeight - 14.0, escape(plot.x_label), kTop + 0.5 * tall,
      escape(plot.y_label));
  for (std::size_t k = 0; k < plot.curves.size(); ++k) {
    const PlotCurve& curve = plot.curves[k];
    const char* colour = kColours[k % std::size(kColours)];
    std::string path;
    bool pen_up = true;
    for (std::size_t i = 0; i < curve.x.size(); ++i) {
      if (!std::isfinite(x_axis.place(curve.x[i])) || !std::isfinite(y_axis.place(curve.y[i]))) {
        pen_up = true;
        continue;
      }
      path += fmt::format("{}{:.2f} {:.2f}", pen_up ? 'M' : 'L', px(curve.x[i]), py(curve.y[i]));
      pen_up = false;
    }
    svg += fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.8\"{}/>\n", path, colour,
                       curve.dashed ? " stroke-dasharray=\"6 4\"" : "");
    const double y = kTop + 18.0 + 18.0 * static_cast<double>(k);
    svg += fmt::format(
        "<path d=\"M{} {}h24\" stroke=\"{}\" stroke-width=\"2\"{}/><text x=\"{}\" y=\"{}\">{}</text>\n",
        kLeft + 12.0, y - 4.0, colour, curve.dashed ? " stroke-dasharray=\"6 4\"" : "", kLeft + 42.0, y,
        escape(curve.name));
  }
  return svg + "</svg>\n";
}

std::string to_csv(const Plot& plot) {
  std::string text = "curve,x,y\n";
  for (const PlotCurve& curve : plot.curves)
    for (std::size_t i = 0; i < curve.x.size(); ++i)
      text += fmt::format("\"{}\",{},{}\n", curve.name, curve.x[i], curve.y[i]);
  return text;
}

}  // namespace rigor
