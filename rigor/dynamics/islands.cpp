#include "rigor/dynamics/islands.hpp"

#include <numeric>

#include "rigor/base/index.hpp"
#include "rigor/dynamics/constraint_rows.hpp"

namespace rigor {
namespace {

// Trees and the sets they are joined into; a tree is named by its root body, the world belongs to none.
class TreeSets {
 public:
  explicit TreeSets(const Model& model) : root_(model.bodies.size()), set_(model.bodies.size()) {
    std::iota(set_.begin(), set_.end(), 0);
    for (std::size_t b = 1; b < model.bodies.size(); ++b) {
      const int parent = model.bodies[b].parent;
      root_[b] = parent == kWorldIndex ? static_cast<int>(b) : root_[at(parent)];
    }
  }
  [[nodiscard]] int root(int body) const { return root_[at(body)]; }
  int find(int tree) {
    while (set_[at(tree)] != tree) tree = set_[at(tree)] = set_[at(set_[at(tree)])];
    return tree;
  }
  void join(int tree_a, int tree_b) {
    if (tree_a == kWorldIndex || tree_b == kWorldIndex) return;
    const int a = find(tree_a), b = find(tree_b);
    set_[at(std::max(a, b))] = std::min(a, b);  // named by its lowest tree, in whatever order
  }

 private:
  std::vector<int> root_, set_;
};

struct Element {
  RowBlock block;
  std::vector<int> bodies;
};

std::vector<Element> list_elements(const Model& model) {
  std::vector<Element> elements;
  const auto body_of = [&](int speed) { return model.speeds[at(speed)].body; };
  const auto all_bodies = [&](std::vector<int> bodies) {
    if (bodies.empty())
      for (std::size_t b = 1; b < model.bodies.size(); ++b) bodies.push_back(static_cast<int>(b));
    return bodies;
  };
  const auto add = [&](RowSource source, std::size_t index, int count, std::vector<int> bodies) {
    if (count > 0) elements.push_back({{source, static_cast<int>(index), 0, count}, std::move(bodies)});
  };
  for (std::size_t i = 0; i < model.constraints.size(); ++i)
    add(RowSource::kConstraint, i, count_rows(model.constraints[i].geometry),
        {model.constraints[i].a, model.constraints[i].b});
  for (std::size_t i = 0; i < model.gears.size(); ++i)
    add(RowSource::kGear, i, 1, {body_of(model.gears[i].v_a), body_of(model.gears[i].v_b)});
  for (std::size_t i = 0; i < model.user_constraints.size(); ++i)
    add(RowSource::kUserConstraint, i, model.user_constraints[i]->row_count(),
        all_bodies(model.user_constraints[i]->bodies()));
  for (std::size_t i = 0; i < model.springs.size(); ++i)
    add(RowSource::kSpring, i, 1, {model.springs[i].a, model.springs[i].b});
  for (std::size_t i = 0; i < model.user_forces.size(); ++i)
    add(RowSource::kUserForce, i, model.user_forces[i]->row_count(),
        all_bodies(model.user_forces[i]->bodies()));
  return elements;
}

}  // namespace

Islands find_islands(const Model& model) {
  TreeSets sets(model);
  const std::vector<Element> elements = list_elements(model);
  std::vector<char> has_rows(model.bodies.size(), 0);
  for (const Element& element : elements) {
    int first = kWorldIndex;
    for (const int body : element.bodies) {
      if (body == kWorldIndex) continue;
      if (first == kWorldIndex) first = sets.root(body);
      sets.join(first, sets.root(body));
    }
  }
  for (const Element& element : elements)
    for (const int body : element.bodies)
      if (body != kWorldIndex) has_rows[at(sets.find(sets.root(body)))] = 1;

  // a tree's speeds stand together: from its root's first to the last of its last body
  Islands islands;
  islands.local.assign(at(model.nv), 0);
  std::vector<int> island_of(model.bodies.size(), -1);
  for (std::size_t b = 1; b < model.bodies.size();) {
    const int tree = static_cast<int>(b);
    TreeRange range{model.bodies[b].v0, 0, 0};
    while (b < model.bodies.size() && sets.root(static_cast<int>(b)) == tree) ++b;
    range.end = b < model.bodies.size() ? model.bodies[b].v0 : model.nv;
    const int set = sets.find(tree);
    if (!has_rows[at(set)]) {
      islands.alone.push_back(range);
    } else {
      if (island_of[at(set)] < 0) {
        island_of[at(set)] = static_cast<int>(islands.list.size());
        islands.list.emplace_back();
      }
      Island& island = islands.list[at(island_of[at(set)])];
      range.offset = island.speeds;
      island.speeds += range.end - range.begin;
      island.trees.push_back(range);
    }
    for (int i = range.begin; i < range.end; ++i) islands.local[at(i)] = i - range.begin + range.offset;
  }
  for (const Element& element : elements) {
    const auto body =
        std::find_if(element.bodies.begin(), element.bodies.end(), [](int b) { return b != kWorldIndex; });
    if (body == element.bodies.end()) continue;
    Island& island = islands.list[at(island_of[at(sets.find(sets.root(*body)))])];
    RowBlock block = element.block;
    block.first = island.rows;
    island.rows += block.count;
    island.blocks.push_back(block);
    const std::size_t entries = at(island.speeds) * at(island.rows);
    if (entries > kMaxIslandEntries)
      throw TooLarge(
          fmt::format("Too many bodies are tied together: {} speeds by {} equations, and their product may "
                      "not exceed {}. "
                      "Use joints instead of constraints where there is no loop.",
                      island.speeds, island.rows, kMaxIslandEntries));
  }
  return islands;
}

std::string describe_block(const Model& model, const RowBlock& block) {
  switch (block.source) {
    case RowSource::kConstraint:
      return fmt::format("constraint \"{}\"", model.constraints[at(block.index)].name);
    case RowSource::kGear:
      return fmt::format("gear \"{}\"", model.gears[at(block.index)].name);
    case RowSource::kUserConstraint:
      return fmt::format("constraint \"{}\"", model.user_constraints[at(block.index)]->name());
    case RowSource::kSpring:
      return fmt::format("spring \"{}\"", model.springs[at(block.index)].spring.name);
    case RowSource::kUserForce:
      return fmt::format("force \"{}\"", model.user_forces[at(block.index)]->name());
  }
  return "";
}

std::string describe_row(const Model& model, const Island& island, int row) {
  for (const RowBlock& block : island.blocks) {
    if (row < block.first || row >= block.first + block.count) continue;
    std::string text = describe_block(model, block);
    if (block.source == RowSource::kConstraint)
      text += ": " + describe_row(model.constraints[at(block.index)].geometry, row - block.first);
    else if (block.count > 1)
      text += fmt::format(": row {}", row - block.first + 1);
    return text;
  }
  return "";
}

}  // namespace rigor
