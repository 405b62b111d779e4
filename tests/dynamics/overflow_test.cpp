#include "rigor/dynamics/overflow.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/scenes.hpp"

namespace rigor {
namespace {

using testing::HasSubstr;

TEST(Overflow, NoNumberIsWorseThanAnyOther) {
  double worst = 1.0;
  raise_worst(worst, 0.5);
  EXPECT_EQ(worst, 1.0);
  raise_worst(worst, NAN);
  EXPECT_TRUE(std::isnan(worst));
}

TEST(Overflow, BoundedMeansFiniteAndNotTooLarge) {
  EXPECT_TRUE(is_bounded(Eigen::VectorXd()));
  EXPECT_TRUE(is_bounded(Eigen::VectorXd(Eigen::Vector3d(0.0, -1e100, 5e-324))));
  for (const double bad : {1.1e100, -1e101, double(INFINITY), double(NAN)})
    EXPECT_FALSE(is_bounded(Eigen::VectorXd(Eigen::Vector3d(0.0, bad, 1.0)))) << bad;
}

// Of a force, a motion and a speed that overflow, the one that comes first on the way is named.
TEST(Overflow, IsToldByWhatItBeginsWith) {
  Scene scene;
  scene.bodies = {test::make_body("arm", 1.0, Eigen::Vector3d::Zero(), Eigen::Vector3d::Ones(),
                                  test::make_joint(JointType::kRevolute))};
  Force force;
  force.name = "push";
  force.body = "arm";
  force.force[1] = Expression::parse("1e200*t");
  scene.forces = {force};
  const Model model = make_model(scene);
  ConstrainedSystem system(model);
  system.set_motion(model.q_initial, model.v_initial);
  system.compute_rows(0.0);
  EXPECT_THAT(describe_overflow(system, 2.0, 0.1, model.v_initial),
              HasSubstr("force \"push\" on \"arm\" is 2e+200 N at t = 2 s"));
  scene.forces.clear();
  const Model calm = make_model(scene);
  ConstrainedSystem calm_system(calm);
  calm_system.set_motion(calm.q_initial, calm.v_initial);
  calm_system.compute_rows(0.0);
  EXPECT_THAT(describe_overflow(calm_system, 0.0, 0.1, Eigen::VectorXd::Constant(1, 1e130)),
              HasSubstr("coordinate 0 of body \"arm\" would move at 1e+130 rad/s"));
  EXPECT_EQ(describe_far(model, Eigen::VectorXd::Constant(1, 1e130)),
            "coordinate 0 of body \"arm\" would be at 1e+130");
}

}  // namespace
}  // namespace rigor
