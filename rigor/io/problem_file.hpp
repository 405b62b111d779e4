#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "rigor/solvers/problem.hpp"

namespace rigor {

/// A problem from a file in any of our formats: FCLIB (fclib.hpp) by the names .hdf5 and .h5; JSON
/// (problem_json.hpp) where the first character that is not white space is { or a comment, else the text
/// formats of problem_text.hpp, LCP or MLCP by their first numbers. Throws InvalidDocument with file, line
/// and reason.
[[nodiscard]] Problem read_problem(const std::filesystem::path& path);
[[nodiscard]] bool is_fclib_name(const std::filesystem::path& path);
[[nodiscard]] Problem parse_problem(std::string text, const std::string& name);

/// The text of a file of that name: `.dat` in the text format (LCPs and mixed LCPs; boxed and contact
/// problems are refused with InvalidInput), any other name as JSON.
[[nodiscard]] std::string to_file_text(const Problem& problem, const std::filesystem::path& path);

}  // namespace rigor
