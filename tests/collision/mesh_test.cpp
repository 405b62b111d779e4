// Covers triangle_set.cpp and mesh_contact.cpp.
#include <gmock/gmock.h>

#include <cmath>

#include "rigor/base/require.hpp"
#include "rigor/collision/collide.hpp"
#include "tests/collision/judges.hpp"
#include "tests/support/message_of.hpp"

namespace rigor {
namespace {

using Eigen::Vector3d;
using judges::Random;

std::string error_of(const TriangleMesh& mesh) {
  return test::message_of([&] { (void)make_triangle_set(mesh); });
}

const TriangleMesh kSquare{{{-2, -2, 0}, {2, -2, 0}, {2, 2, 0}, {-2, 2, 0}}, {{{0, 1, 2}}, {{0, 2, 3}}}};

TEST(Mesh, DefectsAreNamed) {
  TriangleMesh mesh = kSquare;
  EXPECT_EQ(error_of(mesh), "");
  mesh.triangles.clear();
  EXPECT_EQ(error_of(mesh), "mesh: has no triangles, must have at least 1.");
  mesh = kSquare, mesh.vertices[2].y() = std::nan("");
  EXPECT_EQ(error_of(mesh), "mesh: vertex 2 is not finite. Check the data it came from.");
  mesh = kSquare, mesh.triangles[1][0] = 7;
  EXPECT_EQ(error_of(mesh), "mesh: triangle 1 names vertex 7; there are 4, counted from 0.");
  mesh = kSquare, mesh.triangles[1][0] = -1;
  EXPECT_EQ(error_of(mesh), "mesh: triangle 1 names vertex -1; there are 4, counted from 0.");
  mesh = kSquare, mesh.triangles.push_back({0, 1, 1});
  EXPECT_EQ(error_of(mesh), "mesh: triangle 2 has no area. repair_mesh() removes such triangles.");
  mesh = kSquare, mesh.triangles.push_back({1, 0, 2});
  EXPECT_EQ(error_of(mesh),
            "mesh: triangle 2 has the corners of triangle 0. repair_mesh() removes the repeated one.");
  mesh = kSquare, std::swap(mesh.triangles[1][1], mesh.triangles[1][2]);
  EXPECT_EQ(
      error_of(mesh),
      "mesh: triangles 0 and 1 look to different sides of the surface. repair_mesh() turns one of them.");
}

TEST(Mesh, RepairsAreNamedAndHolesCounted) {
  TriangleMesh mesh = kSquare;
  EXPECT_EQ(repair_mesh(mesh).text(), "4 open edges left");
  std::swap(mesh.triangles[1][1], mesh.triangles[1][2]);
  mesh.triangles.push_back({0, 1, 1});
  mesh.triangles.push_back({1, 2, 0});
  const MeshRepair repair = repair_mesh(mesh);
  EXPECT_EQ(repair.text(),
            "removed 1 triangle without area; removed 1 triangle given before; turned 1 triangle to agree "
            "with the neighbours; 4 open edges left");
  EXPECT_EQ(error_of(mesh), "");
  TriangleMesh closed{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                      {{{0, 2, 1}}, {{0, 1, 3}}, {{0, 3, 2}}, {{1, 2, 3}}}};
  EXPECT_EQ(repair_mesh(closed).text(), "nothing to repair");
  TriangleMesh fan{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}},
                   {{{0, 1, 2}}, {{0, 1, 3}}, {{0, 1, 4}}}};
  EXPECT_THROW((void)repair_mesh(fan), InvalidInput);
}

// A flat floor of many triangles is a half-space: the same deepest gap, the same normal, whatever lies on the
// seams.
TEST(Mesh, FlatFloorOfManyTrianglesIsAHalfSpace) {
  HeightField field{{4, 4}, std::vector<std::vector<double>>(21, std::vector<double>(21, 0.0))};
  const Geometry floor = make_geometry(field), plane = make_geometry(HalfSpace{});
  const TriangleMesh mesh{floor.triangles->vertices, floor.triangles->triangles};
  const Geometry sheet = make_geometry(mesh);
  Random random(3);
  CollisionScratch scratch;
  const Shape shapes[] = {Sphere{0.3},
                          Box{{0.5, 0.4, 0.3}},
                          Capsule{0.2, 0.5},
                          Cylinder{0.3, 0.4},
                          Cone{0.3, 0.5},
                          Ellipsoid{{0.3, 0.4, 0.5}},
                          Hull{judges::random_points(random, 12, 0.4)}};
  for (const Shape& shape : shapes) {
    const Geometry a = make_geometry(shape);
    for (int i = 0; i < 60 / std::min(10, judges::kFewer); ++i) {
      Pose X{{random.real(-1, 1), random.real(-1, 1), 0},
             i % 3 ? random.rotation() : Eigen::Quaterniond::Identity()};
      X.position.z() = judges::support_value(shape, X.rotation.conjugate() * -Vector3d::UnitZ()) +
                       random.real(-0.02, 0.02);
      std::vector<ContactPoint> expected, found;
      collide(a, X, plane, {}, {0.05, Vector3d::Zero()}, scratch, expected);
      for (const Geometry* ground : {&floor, &sheet}) {
        found.clear();
        collide(a, X, *ground, {}, {0.05, Vector3d::Zero()}, scratch, found);
        const auto lowest = [](const std::vector<ContactPoint>& points) {
          double low = 1e300;
          for (const ContactPoint& p : points) low = std::min(low, p.gap);
          return low;
        };
        EXPECT_NEAR(lowest(found), lowest(expected), 1e-12) << "shape " << shape.index() << ", case " << i;
        for (const ContactPoint& p : found)
          EXPECT_LT((p.normal - Vector3d::UnitZ()).norm(), 1e-9) << "shape " << shape.index();
      }
    }
  }
}

// Over the ridge of a roof a sphere is pushed from the ridge, in a valley from both sides.
TEST(Mesh, RidgesAndValleysHaveTheirOwnNormals) {
  const TriangleMesh roof{{{-1, -5, -1}, {0, -5, 0}, {1, -5, -1}, {-1, 5, -1}, {0, 5, 0}, {1, 5, -1}},
                          {{{0, 1, 4}}, {{0, 4, 3}}, {{1, 2, 5}}, {{1, 5, 4}}}};
  CollisionScratch scratch;
  std::vector<ContactPoint> points;
  collide(make_geometry(Sphere{0.5}), {{0.1, 0.3, 0.5}, Eigen::Quaterniond::Identity()}, make_geometry(roof),
          {}, {0.05, Vector3d::Zero()}, scratch, points);
  ASSERT_EQ(points.size(), 1u);
  EXPECT_NEAR(points[0].gap, std::hypot(0.1, 0.5) - 0.5, 1e-14);
  TriangleMesh valley = roof;
  for (Vector3d& v : valley.vertices) v.z() = -v.z();
  points.clear();
  collide(make_geometry(Sphere{0.5}), {{0, 0.3, 0.5 * std::sqrt(2.0)}, Eigen::Quaterniond::Identity()},
          make_geometry(valley), {}, {0.05, Vector3d::Zero()}, scratch, points);
  ASSERT_EQ(points.size(), 2u);
  for (const ContactPoint& p : points) EXPECT_NEAR(p.gap, 0.0, 1e-14);
}

}  // namespace
}  // namespace rigor
