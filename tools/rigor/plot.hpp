#pragma once

#include <string>
#include <vector>

namespace rigor {

/// A curve of a plot; NaN interrupts it.
struct PlotCurve {
  std::string name;
  std::vector<double> x, y;
  bool dashed{false};
};

/// A plot in two axes.
struct Plot {
  std::string title, x_label, y_label;
  std::vector<PlotCurve> curves;
  bool equal_axes{false};  // one unit is as long along both, for trajectories
  bool log_x{false}, log_y{false};
};

/// The plot as one SVG file without scripts or fonts of its own.
[[nodiscard]] std::string to_svg(const Plot& plot);

/// The curves as a table: name, x, y a line.
[[nodiscard]] std::string to_csv(const Plot& plot);

}  // namespace rigor
