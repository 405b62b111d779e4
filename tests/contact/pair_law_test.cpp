#include "rigor/contact/pair_law.hpp"

#include <gtest/gtest.h>

namespace rigor {
namespace {

TEST(PairLaw, TheMoreSlipperyMaterialGivesTheFriction) {
  Material ice, wood;
  ice.mu = {0.05, 0.02};
  wood.mu = {0.5, 0.5};
  wood.mu_static = 0.6;
  EXPECT_EQ(make_pair_law(ice, wood).friction, &ice);
  EXPECT_TRUE(make_pair_law(ice, wood).is_of_a);
  EXPECT_EQ(make_pair_law(wood, ice).friction, &ice);
  EXPECT_FALSE(make_pair_law(wood, ice).is_of_a);
  EXPECT_TRUE(make_pair_law(wood, ice).is_rigid);
}

TEST(PairLaw, CompliancesAddUp) {
  Material hard, rubber, gel;
  rubber.stiffness = 300.0;
  rubber.damping = 6.0;
  gel.stiffness = 600.0;
  gel.damping = 3.0;
  const PairLaw one = make_pair_law(hard, rubber);
  EXPECT_FALSE(one.is_rigid);
  EXPECT_EQ(one.stiffness, 300.0);
  EXPECT_EQ(one.damping, 6.0);
  const PairLaw two = make_pair_law(rubber, gel);
  EXPECT_DOUBLE_EQ(two.stiffness, 200.0);
  EXPECT_DOUBLE_EQ(two.damping, 2.0);
}

TEST(PairLaw, FrictionFollowsTheSlipSpeed) {
  Material material;
  material.mu = {0.4, 0.4};
  EXPECT_EQ(friction_at(material, 0.0), 0.4);
  material.mu_static = 0.6;
  material.slip_speed = 0.01;
  EXPECT_EQ(friction_at(material, 0.009), 0.6);
  EXPECT_EQ(friction_at(material, 0.01), 0.4);
  material.mu_curve = Expression::parse("0.3 + 0.2*exp(-s/0.1)");
  EXPECT_DOUBLE_EQ(friction_at(material, 0.0), 0.5);
  EXPECT_NEAR(friction_at(material, 0.1), 0.3 + 0.2 * std::exp(-1.0), 1e-15);
  material.mu_curve = Expression::parse("-s");
  EXPECT_EQ(friction_at(material, 1.0), 0.0);  // friction never drives
}

}  // namespace
}  // namespace rigor
