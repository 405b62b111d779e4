#pragma once

#include <string>
#include <variant>
#include <vector>

#include "rigor/io/recording.hpp"
#include "rigor/model/model.hpp"

/// Recordings as arrays with names, for tables and for other programs.
namespace rigor {

struct NamedArray {
  std::string name;
  std::vector<std::size_t> shape;  // the first dimension varies slowest
  std::variant<std::vector<double>, std::vector<std::int64_t>, std::vector<std::string>> values;
};

/// The model of the scene that was recorded. Throws InvalidDocument naming `file` where the scene is wrong or
/// does not have the coordinates that the frames have.
[[nodiscard]] Model make_recorded_model(const Recording& recording, const std::string& file);

/// time, step, q, v, body_position, body_quaternion, body_velocity, body_angular_velocity (frames x bodies x
/// …), motion_force, certificate_*, energy_*; contacts of all frames one after the other: contact_frame,
/// contact_a, contact_b, contact_mode, contact_key, contact_point, …; and body_names, motion_names.
[[nodiscard]] std::vector<NamedArray> make_arrays(const Recording& recording, const Model& model);

/// The frames as comma-separated values with one header line; numbers read back to the same doubles.
[[nodiscard]] std::string to_csv(const Recording& recording, const Model& model);
/// Their contacts, a line each.
[[nodiscard]] std::string contacts_to_csv(const Recording& recording, const Model& model);

/// A text as a field of comma-separated values: quoted where it holds what would break the line.
[[nodiscard]] std::string csv_field(const std::string& text);

}  // namespace rigor
