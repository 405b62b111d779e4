#pragma once

#include <string>
#include <vector>

#include "rigor/dynamics/tree_matrix.hpp"

/// Which trees a model's constraints and springs tie together. Trees that nothing ties are solved by their
/// factor alone; the others form islands, each with the equations that couple it.
namespace rigor {

/// What an island's rows come from: an element of one of the model's lists.
enum class RowSource { kConstraint, kGear, kUserConstraint, kSpring, kUserForce };

struct RowBlock {
  RowSource source;
  int index{0};  // in the model's list
  int first{0};  // its rows are first … first + count of the island's
  int count{0};
};

/// Speeds begin … end of the model are offset … of the island.
struct TreeRange {
  int begin{0}, end{0}, offset{0};
};

struct Island {
  std::vector<TreeRange> trees;
  std::vector<RowBlock> blocks;
  int speeds{0}, rows{0};
};

struct Islands {
  std::vector<Island> list;
  std::vector<TreeRange> alone;  // trees without rows
  std::vector<int> local;        // speed → its index in its island (in its tree where that is alone)
};

/// Speeds times rows of one island: its equations are dense.
inline constexpr std::size_t kMaxIslandEntries = 20'000'000;

/// Throws TooLarge where an island is.
[[nodiscard]] Islands find_islands(const Model& model);

/// "constraint \"pin\": rotation 2", for messages.
[[nodiscard]] std::string describe_row(const Model& model, const Island& island, int row);
/// The element's name alone: "constraint \"pin\"".
[[nodiscard]] std::string describe_block(const Model& model, const RowBlock& block);

}  // namespace rigor
