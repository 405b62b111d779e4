#include "rigor/model/body_mass.hpp"

#include <gtest/gtest.h>

namespace rigor {
namespace {

// A box of 2 x 3 x 4 m and density 5: pencil and paper.
TEST(BodyMass, FollowFromShapesAndDensity) {
  Body body;
  body.shapes.push_back({.name = "", .geometry = Box{{2, 3, 4}}, .pose = {}, .material = "m", .density = {}});
  std::vector<Material> materials(1);
  materials[0].name = "m";
  materials[0].density = 5.0;
  MassProperties result = compute_mass_properties(body, materials, {});
  EXPECT_DOUBLE_EQ(result.mass, 120.0);
  EXPECT_DOUBLE_EQ(result.inertia(0, 0), 250.0);  // 120/12 (9 + 16)

  body.density = 10.0;  // the body's counts before the material's
  EXPECT_DOUBLE_EQ(compute_mass_properties(body, materials, {}).mass, 240.0);
  body.shapes[0].density = 1.0;  // the shape's before both
  EXPECT_DOUBLE_EQ(compute_mass_properties(body, materials, {}).mass, 24.0);
  body.mass = 12.0;  // a mass scales the distribution
  result = compute_mass_properties(body, materials, {});
  EXPECT_DOUBLE_EQ(result.mass, 12.0);
  EXPECT_DOUBLE_EQ(result.inertia(0, 0), 25.0);
  body.inertia = {1, 1, 1};  // what is given counts
  EXPECT_DOUBLE_EQ(compute_mass_properties(body, materials, {}).inertia(0, 0), 1.0);
}

TEST(BodyMass, TwoShapesMakeADumbbell) {
  Body body;
  body.mass = 2.0;
  for (const double x : {-1.0, 1.0}) {
    ShapeInstance& ball = body.shapes.emplace_back();
    ball.geometry = Sphere{0.1};
    ball.pose.position.x() = x;
  }
  const MassProperties result = compute_mass_properties(body, {}, {});
  EXPECT_LT(result.center.norm(), 1e-15);
  EXPECT_NEAR(result.inertia(0, 0), 2 * 0.4 * 0.01, 1e-15);
  EXPECT_NEAR(result.inertia(2, 2), 2 * (0.4 * 0.01 + 1.0), 1e-14);
}

TEST(BodyMass, AMasslessBodyHasNeitherMassNorInertia) {
  Body body;
  body.mass = 0.0;
  MassProperties result = compute_mass_properties(body, {}, {});
  EXPECT_EQ(result.mass, 0.0);
  EXPECT_EQ(result.center, Eigen::Vector3d::Zero());
  EXPECT_EQ(result.inertia, Eigen::Matrix3d::Zero());

  // a shape to touch with brings none either
  body.shapes.emplace_back().geometry = Sphere{0.1};
  result = compute_mass_properties(body, {}, {});
  EXPECT_EQ(result.mass, 0.0);
  EXPECT_EQ(result.inertia, Eigen::Matrix3d::Zero());
}

// A disk of 2 kg turns about the normal of the plane that it lies in with m r²/2, a right triangle of 3 m
// along the first axis and 1 m along the second has its centre at a third of each.
TEST(BodyMass, FlatShapesLieInTheirPlane) {
  for (const Plane plane : {Plane::kXY, Plane::kXZ, Plane::kYZ}) {
    const Eigen::Matrix3d axes = plane_axes(plane);
    EXPECT_DOUBLE_EQ(axes.determinant(), 1.0);
    Body wheel;
    wheel.mass = 2.0;
    wheel.shapes.emplace_back().geometry = Disk{1.0};
    EXPECT_NEAR(axes.col(2).dot(compute_mass_properties(wheel, {}, plane).inertia * axes.col(2)), 1.0, 1e-14);
    EXPECT_NEAR(axes.col(0).dot(compute_mass_properties(wheel, {}, plane).inertia * axes.col(0)), 0.5, 1e-14);
    Body wedge;
    wedge.mass = 1.0;
    wedge.shapes.emplace_back().geometry = Polygon{{{0.0, 0.0}, {3.0, 0.0}, {0.0, 1.0}}};
    const MassProperties result = compute_mass_properties(wedge, {}, plane);
    EXPECT_LT((result.center - axes * Eigen::Vector3d(1.0, 1.0 / 3.0, 0.0)).norm(), 1e-14);
    EXPECT_NEAR(axes.col(2).dot(result.inertia * axes.col(2)), (9.0 + 1.0) / 18.0, 1e-14);
  }
}

}  // namespace
}  // namespace rigor
