#include "rigor/collision/triangle_set.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "rigor/base/diagnostic.hpp"
#include "rigor/base/require.hpp"

namespace rigor {
namespace {

using Triangle = std::array<int, 3>;

// The corners, smallest first, in the same order for both orientations.
Triangle sorted(Triangle t) {
  std::sort(t.begin(), t.end());
  return t;
}

double twice_area(const TriangleMesh& mesh, const Triangle& t) {
  const auto v = [&](int i) -> const Eigen::Vector3d& {
    return mesh.vertices[static_cast<std::size_t>(t[static_cast<std::size_t>(i)])];
  };
  return (v(1) - v(0)).cross(v(2) - v(0)).norm();
}

// Without area: as thin as a line, to rounding.
bool is_degenerate(const TriangleMesh& mesh, const Triangle& t) {
  if (t[0] == t[1] || t[1] == t[2] || t[2] == t[0]) return true;
  double longest = 0.0;
  for (std::size_t k = 0; k < 3; ++k)
    longest = std::max(longest, (mesh.vertices[static_cast<std::size_t>(t[(k + 1) % 3])] -
                                 mesh.vertices[static_cast<std::size_t>(t[k])])
                                    .norm());
  return !(twice_area(mesh, t) > 1e-12 * longest * longest);
}

void require_readable(const TriangleMesh& mesh) {
  require(!mesh.triangles.empty(), "mesh: has no triangles, must have at least 1.");
  for (std::size_t i = 0; i < mesh.vertices.size(); ++i)
    require(mesh.vertices[i].allFinite(), "mesh: vertex {} is not finite. Check the data it came from.", i);
  const int count = static_cast<int>(mesh.vertices.size());
  for (std::size_t k = 0; k < mesh.triangles.size(); ++k)
    for (const int v : mesh.triangles[k])
      require(v >= 0 && v < count, "mesh: triangle {} names vertex {}; there are {}, counted from 0.", k, v,
              count);
}

// For each edge (smaller index first) the triangles at it, with the direction in which they run along it.
struct EdgeSide {
  int triangle, corner;
  bool forward;
};
using EdgeMap = std::map<std::pair<int, int>, std::vector<EdgeSide>>;

EdgeMap make_edge_map(const std::vector<Triangle>& triangles) {
  EdgeMap edges;
  for (std::size_t k = 0; k < triangles.size(); ++k)
    for (int c = 0; c < 3; ++c) {
      const int from = triangles[k][static_cast<std::size_t>(c)],
                to = triangles[k][static_cast<std::size_t>((c + 1) % 3)];
      edges[std::minmax(from, to)].push_back({static_cast<int>(k), c, from < to});
    }
  for (const auto& [edge, sides] : edges)
    require(sides.size() <= 2,
            "mesh: {} triangles meet in the edge of vertices {} and {}, at most 2 can. Split the mesh.",
            sides.size(), edge.first, edge.second);
  return edges;
}

// Goes from each triangle to its neighbours and turns those that run the same way along the common edge.
int turn_to_agree(std::vector<Triangle>& triangles) {
  const EdgeMap edges = make_edge_map(triangles);
  std::vector<std::vector<std::pair<int, bool>>> beside(
      triangles.size());  // neighbour, and whether it disagrees
  for (const auto& [edge, sides] : edges) {
    if (sides.size() < 2) continue;
    const bool same = sides[0].forward == sides[1].forward;
    beside[static_cast<std::size_t>(sides[0].triangle)].emplace_back(sides[1].triangle, same);
    beside[static_cast<std::size_t>(sides[1].triangle)].emplace_back(sides[0].triangle, same);
  }
  enum : char { kNew, kKept, kTurned };
  std::vector<char> state(triangles.size(), kNew);
  int flipped = 0;
  for (std::size_t start = 0; start < triangles.size(); ++start) {
    if (state[start] != kNew) continue;
    std::vector<int> piece{static_cast<int>(start)};
    state[start] = kKept;
    for (std::size_t i = 0; i < piece.size(); ++i) {
      const char here = state[static_cast<std::size_t>(piece[i])];
      for (const auto& [next, disagrees] : beside[static_cast<std::size_t>(piece[i])]) {
        const char other = here == kKept ? char{kTurned} : char{kKept};
        const char wanted = disagrees ? other : here;
        char& found = state[static_cast<std::size_t>(next)];
        require(found == kNew || found == wanted,
                "mesh: triangle {} cannot agree with all its neighbours; the surface has "
                "one side only. Cut the mesh.",
                next);
        if (found == kNew) found = wanted, piece.push_back(next);
      }
    }
    // the majority decides which way the piece looks
    const auto turned = std::count_if(piece.begin(), piece.end(),
                                      [&](int k) { return state[static_cast<std::size_t>(k)] == kTurned; });
    const char wrong = 2 * static_cast<std::size_t>(turned) > piece.size() ? char{kKept} : char{kTurned};
    for (const int k : piece) {
      if (state[static_cast<std::size_t>(k)] != wrong) continue;
      std::swap(triangles[static_cast<std::size_t>(k)][1], triangles[static_cast<std::size_t>(k)][2]);
      ++flipped;
    }
  }
  return flipped;
}

void link_neighbours(TriangleSet& set) {
  set.neighbours.assign(set.triangles.size(), {-1, -1, -1});
  for (const auto& [edge, sides] : make_edge_map(set.triangles)) {
    if (sides.size() < 2) continue;
    for (std::size_t k = 0; k < 2; ++k)
      set.neighbours[static_cast<std::size_t>(sides[k].triangle)][static_cast<std::size_t>(sides[k].corner)] =
          sides[1 - k].triangle;
  }
}

Bounds bounds_of(const TriangleSet& set, int triangle) {
  Bounds out;
  for (const int v : set.triangles[static_cast<std::size_t>(triangle)])
    out.include(set.vertices[static_cast<std::size_t>(v)]);
  return out;
}

void finish(TriangleSet& set) {
  for (const Triangle& t : set.triangles) {
    const auto v = [&](std::size_t i) -> const Eigen::Vector3d& {
      return set.vertices[static_cast<std::size_t>(t[i])];
    };
    set.normals.push_back((v(1) - v(0)).cross(v(2) - v(0)).stableNormalized());
  }
  link_neighbours(set);
  std::vector<Bounds> boxes;
  for (std::size_t i = 0; i < set.triangles.size(); ++i) boxes.push_back(bounds_of(set, static_cast<int>(i)));
  set.tree = make_box_tree(boxes);
}

}  // namespace

bool TriangleSet::is_ridge(int triangle, int corner) const {
  const auto t = static_cast<std::size_t>(triangle), c = static_cast<std::size_t>(corner);
  const int next = neighbours[t][c];
  if (next < 0) return true;
  // the neighbour's far corner lies below this triangle's plane
  const Eigen::Vector3d &from = vertices[static_cast<std::size_t>(triangles[t][c])],
                        &to = vertices[static_cast<std::size_t>(triangles[t][(c + 1) % 3])];
  const Eigen::Vector3d& n = normals[static_cast<std::size_t>(next)];
  const double bend = normals[t].cross(n).dot(to - from);
  return bend > 1e-9 * (to - from).norm();
}

void TriangleSet::find_overlapping(const Bounds& bounds, std::vector<int>& out) const {
  out.clear();
  tree.visit([&](const Bounds& box) { return box.overlaps(bounds); },
             [&](int triangle) { out.push_back(triangle); });
  std::sort(out.begin(), out.end());
}

std::string MeshRepair::text() const {
  std::string out;
  const auto say = [&](int count, const char* before, const char* after) {
    if (count > 0)
      out += fmt::format("{}{}{}{}", out.empty() ? "" : "; ", before,
                         count_text(static_cast<std::size_t>(count), "triangle"), after);
  };
  say(degenerate_removed, "removed ", " without area");
  say(repeated_removed, "removed ", " given before");
  say(flipped, "turned ", " to agree with the neighbours");
  if (open_edges > 0)
    out += fmt::format("{}{} left", out.empty() ? "" : "; ",
                       count_text(static_cast<std::size_t>(open_edges), "open edge"));
  return out.empty() ? "nothing to repair" : out;
}

MeshRepair repair_mesh(TriangleMesh& mesh) {
  require_readable(mesh);
  MeshRepair repair;
  std::vector<Triangle> kept;
  std::set<Triangle> seen;
  for (const Triangle& t : mesh.triangles) {
    if (is_degenerate(mesh, t))
      ++repair.degenerate_removed;
    else if (!seen.insert(sorted(t)).second)
      ++repair.repeated_removed;
    else
      kept.push_back(t);
  }
  require(!kept.empty(), "mesh: none of its {} triangles has an area. Check the data it came from.",
          mesh.triangles.size());
  repair.flipped = turn_to_agree(kept);
  for (const auto& [edge, sides] : make_edge_map(kept)) repair.open_edges += sides.size() == 1;
  mesh.triangles = std::move(kept);
  return repair;
}

TriangleSet make_triangle_set(const TriangleMesh& mesh) {
  require_readable(mesh);
  std::map<Triangle, std::size_t> seen;
  for (std::size_t k = 0; k < mesh.triangles.size(); ++k) {
    require(!is_degenerate(mesh, mesh.triangles[k]),
            "mesh: triangle {} has no area. repair_mesh() removes such triangles.", k);
    const auto [other, is_new] = seen.try_emplace(sorted(mesh.triangles[k]), k);
    require(is_new,
            "mesh: triangle {} has the corners of triangle {}. repair_mesh() removes the repeated one.", k,
            other->second);
  }
  for (const auto& [edge, sides] : make_edge_map(mesh.triangles))
    require(sides.size() < 2 || sides[0].forward != sides[1].forward,
            "mesh: triangles {} and {} look to different sides of the "
            "surface. repair_mesh() turns one of them.",
            sides[0].triangle, sides.back().triangle);
  TriangleSet set;
  set.vertices = mesh.vertices;
  set.triangles = mesh.triangles;
  finish(set);
  return set;
}

TriangleSet make_triangle_set(const HeightField& field) {
  const std::size_t rows = field.heights.size(), columns = rows ? field.heights[0].size() : 0;
  require(rows >= 2 && columns >= 2, "height field: has {} rows of {} heights, must have at least 2 of 2.",
          rows, columns);
  require(field.size.x() > 0.0 && field.size.y() > 0.0, "height field: size = [{}, {}] m, must be > 0.",
          field.size.x(), field.size.y());
  TriangleSet set;
  set.solid_below = true;
  for (std::size_t i = 0; i < rows; ++i) {
    require(field.heights[i].size() == columns, "height field: row {} has {} heights, the first has {}.", i,
            field.heights[i].size(), columns);
    for (std::size_t j = 0; j < columns; ++j) {
      require(std::isfinite(field.heights[i][j]), "height field: height {} of row {} is not finite.", j, i);
      set.vertices.emplace_back(
          (static_cast<double>(j) / static_cast<double>(columns - 1) - 0.5) * field.size.x(),
          (static_cast<double>(i) / static_cast<double>(rows - 1) - 0.5) * field.size.y(),
          field.heights[i][j]);
    }
  }
  for (std::size_t i = 0; i + 1 < rows; ++i)
    for (std::size_t j = 0; j + 1 < columns; ++j) {
      const int a = static_cast<int>(i * columns + j), b = a + 1, c = a + static_cast<int>(columns),
                d = c + 1;
      set.triangles.push_back({a, b, d});
      set.triangles.push_back({a, d, c});
    }
  finish(set);
  return set;
}

}  // namespace rigor
