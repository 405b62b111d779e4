#include "bench/motion_report.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <ostream>

#include "rigor/base/index.hpp"

namespace rigor {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

double milliseconds_to(const Curve& curve, double target) {
  const CurvePoint* const point = find_point(curve, target);
  return point ? 1e3 * point->seconds : kNever;
}

double iterations_to(const Curve& curve, double target) {
  const CurvePoint* const point = find_point(curve, target);
  return point ? point->iterations : kNever;
}

double residual_after(const Curve& curve, double ms) {
  double best = kNever;
  for (const CurvePoint& point : curve)
    if (1e3 * point.seconds <= ms) best = point.residual;
  return best;
}

// To the left of the curves, for their names.
void make_room(Plot& plot) {
  double least = kNever;
  for (const PlotCurve& curve : plot.curves)
    least = std::min(least, *std::min_element(curve.x.begin(), curve.x.end()));
  if (plot.curves.empty()) return;
  plot.curves[0].x.push_back(least / 20.0);
  plot.curves[0].y.push_back(std::numeric_limits<double>::quiet_NaN());
}

std::string format_time(double ms) {
  if (!(ms < kNever)) return "–";
  return ms < 0.0995 ? fmt::format("{:.3f}", ms)
         : ms < 9.95 ? fmt::format("{:.2g}", ms)
                     : fmt::format("{:.0f}", ms);
}

std::string format_count(double count) {
  return count < kNever ? fmt::format("{:.0f}", count) : "–";
}

std::string percent(std::size_t part, std::size_t all) {
  return fmt::format("{:.0f} %",
                     100.0 * static_cast<double>(part) / static_cast<double>(std::max<std::size_t>(all, 1)));
}

template <class Value>
std::vector<double> collect(const MethodCurves& method, const std::vector<std::size_t>& which, Value value) {
  std::vector<double> values;
  for (const std::size_t k : which) values.push_back(value(method.curves[k]));
  return values;
}

std::vector<std::size_t> all_of(const MethodCurves& method) {
  std::vector<std::size_t> all(method.curves.size());
  for (std::size_t k = 0; k < all.size(); ++k) all[k] = k;
  return all;
}

std::size_t count_reached(const std::vector<double>& values) {
  return static_cast<std::size_t>(
      std::count_if(values.begin(), values.end(), [](double x) { return x < kNever; }));
}

}  // namespace

const CurvePoint* find_point(const Curve& curve, double target) {
  for (const CurvePoint& point : curve)
    if (point.residual <= target * (1.0 + 1e-6)) return &point;
  return nullptr;
}

double quantile_reached(std::vector<double> values, double part) {
  if (values.empty()) return kNever;
  std::sort(values.begin(), values.end());
  const double place = std::ceil(part * static_cast<double>(values.size())) - 1.0;
  return values[static_cast<std::size_t>(std::max(place, 0.0))];
}

std::string describe_methods(const std::vector<MethodCurves>& methods) {
  std::string text = "| method |";
  for (const double target : kTargets) text += fmt::format(" {:.0e} |", target);
  text += "\n| --- | --- | --- | --- | --- |\n";
  for (const MethodCurves& method : methods) {
    text += fmt::format("| {} |", method.name);
    const auto all = all_of(method);
    for (const double target : kTargets) {
      const auto ms =
          collect(method, all, [&](const Curve& curve) { return milliseconds_to(curve, target); });
      const auto count =
          collect(method, all, [&](const Curve& curve) { return iterations_to(curve, target); });
      text +=
          fmt::format(" {}: {} / {} ms, {} / {} |", percent(count_reached(ms), all.size()),
                      format_time(quantile_reached(ms, 0.5)), format_time(quantile_reached(ms, 0.9)),
                      format_count(quantile_reached(count, 0.5)), format_count(quantile_reached(count, 0.9)));
    }
    text += "\n";
  }
  return text;
}

std::string describe_groups(const std::vector<CapturedContacts>& problems,
                            const std::vector<MethodCurves>& methods, GroupBy by, double target) {
  std::map<std::string, std::vector<std::size_t>> groups;
  for (std::size_t k = 0; k < problems.size(); ++k)
    groups[by == GroupBy::kScene ? problems[k].scene
                                 : fmt::format("{:5} +", kSizeClasses[size_class_of(problems[k].contacts())])]
        .push_back(k);
  std::string text =
      by == GroupBy::kScene ? "| scene | problems | contacts |" : "| contacts | problems | median |";
  for (const MethodCurves& method : methods) text += fmt::format(" {} |", method.name);
  text += "\n| --- | ---: | ---: |";
  for (std::size_t k = 0; k < methods.size(); ++k) text += " ---: |";
  text += "\n";
  for (const auto& [name, which] : groups) {
    std::vector<double> contacts;
    for (const std::size_t k : which) contacts.push_back(problems[k].contacts());
    text += fmt::format("| {} | {} | {:.0f} |", name, which.size(), quantile_reached(contacts, 0.5));
    for (const MethodCurves& method : methods) {
      const auto ms =
          collect(method, which, [&](const Curve& curve) { return milliseconds_to(curve, target); });
      text += fmt::format(" {}: {} |", percent(count_reached(ms), ms.size()),
                          format_time(quantile_reached(ms, 0.5)));
    }
    text += "\n";
  }
  return text;
}

std::string describe_times(const std::vector<CapturedContacts>& problems,
                           const std::vector<MethodCurves>& methods, const std::string& scene,
                           int fewest_contacts) {
  constexpr double kTimes[] = {0.3, 1.0, 3.0, 10.0, 30.0};  // ms
  std::vector<std::size_t> which;
  for (std::size_t k = 0; k < problems.size(); ++k)
    if (problems[k].scene == scene && problems[k].contacts() >= fewest_contacts) which.push_back(k);
  if (which.empty()) return "";
  std::string text =
      fmt::format("| {}, {} problems of {} contacts and more |", scene, which.size(), fewest_contacts);
  for (const double ms : kTimes) text += fmt::format(" {} ms |", ms);
  text += "\n| --- |";
  for (std::size_t k = 0; k < std::size(kTimes); ++k) text += " ---: |";
  text += "\n";
  for (const MethodCurves& method : methods) {
    text += fmt::format("| {} |", method.name);
    for (const double ms : kTimes) {
      const auto values =
          collect(method, which, [&](const Curve& curve) { return residual_after(curve, ms); });
      const double median = quantile_reached(values, 0.5);
      text += median < kNever ? fmt::format(" {:.0e} |", median) : " – |";
    }
    text += "\n";
  }
  return text + "\n";
}

void write_csv(const std::vector<CapturedContacts>& problems, const std::vector<MethodCurves>& methods,
               std::ostream& out) {
  out << "scene,step,contacts,method,seconds,iterations,factors,residual\n";
  for (const MethodCurves& method : methods)
    for (std::size_t k = 0; k < problems.size(); ++k)
      for (const CurvePoint& point : method.curves[k])
        fmt::print(out, "{},{},{},{},{:.3e},{},{},{:.3e}\n", problems[k].scene, problems[k].step,
                   problems[k].contacts(), method.name, point.seconds, point.iterations, point.factors,
                   point.residual);
}

Plot plot_methods(const std::vector<CapturedContacts>& problems, const std::vector<MethodCurves>& methods) {
  Plot plot;
  plot.title = fmt::format("{} contact problems in motion", problems.size());
  plot.x_label = "CPU time, µs per contact, in which half of them were there";
  plot.y_label = "residual / ‖q‖₂";
  plot.log_x = plot.log_y = true;
  for (std::size_t m = 0; m < methods.size(); ++m) {
    PlotCurve curve;
    curve.name = methods[m].name;
    curve.dashed = m >= 7;  // the plot has so many colours
    for (double e = -1.0; e >= -8.01; e -= methods[m].by_decades ? 1.0 : 0.25) {
      std::vector<double> us;
      for (std::size_t k = 0; k < problems.size(); ++k)
        us.push_back(1e3 * milliseconds_to(methods[m].curves[k], std::pow(10.0, e)) / problems[k].contacts());
      const double median = quantile_reached(std::move(us), 0.5);
      if (!(median > 0.0 && median < kNever)) continue;
      curve.x.push_back(median);
      curve.y.push_back(std::pow(10.0, e));
    }
    if (!curve.x.empty()) plot.curves.push_back(std::move(curve));
  }
  make_room(plot);
  return plot;
}

}  // namespace rigor
