#pragma once

#include <string>
#include <vector>

#include "rigor/dynamics/tree_matrix.hpp"

/// Islands: trees that constraints and springs tie together, each with the rows (equations) that do so. A
/// tree that no row ties belongs to no island; its mass matrix is factored alone.
namespace rigor {

/// What an island's rows come from: an element of one of the model's lists.
enum class RowSource { kConstraint, kGear, kUserConstraint, kSpring, kUserForce };

struct RowBlock {
  RowSource source;
  int index{0};  // in the model's list
  int first{0};  // of the island's rows those from first to first + count − 1 are the element's
  int count{0};
};

/// One tree: the speeds begin to end − 1 of the model are the speeds from `offset` on of its island.
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

/// Most entries, speeds times rows, that one island may have: its equations are stored dense.
inline constexpr std::size_t kMaxIslandEntries = 20'000'000;

/// Throws TooLarge where an island has more.
[[nodiscard]] Islands find_islands(const Model& model);

/// "constraint \"pin\": rotation 2", for messages.
[[nodiscard]] std::string describe_row(const Model& model, const Island& island, int row);
/// The element's name alone: "constraint \"pin\"".
[[nodiscard]] std::string describe_block(const Model& model, const RowBlock& block);

}  // namespace rigor
