// The linear laws of contacts against differences of the maps that they linearise.
#include "rigor/solvers/cone/linearise.hpp"

#include <gtest/gtest.h>

#include "rigor/math/random.hpp"
#include "rigor/solvers/cone/unit_cone_matrix.hpp"
#include "tests/solvers/cone/tower.hpp"

namespace rigor {
namespace {

using Eigen::Vector2d;
using Eigen::Vector3d;

constexpr double kMu = 0.6, kRho = 1.7, kAlpha = 0.03;

// (1) of linearise.hpp, as it is written there.
Vector3d map_coulomb(const Vector3d& r, const Vector3d& s) {
  const Vector3d tau = r - kRho * s;
  if (tau[0] <= 0.0) return r;
  const double length = tau.tail<2>().norm();
  if (length <= kMu * tau[0]) return kRho * s;
  Vector3d F;
  F << kRho * s[0], r.tail<2>() - kMu * tau[0] / length * tau.tail<2>();
  return F;
}

// r − P_K(r − s/α)
Vector3d map_associated(const Vector3d& r, const Vector3d& s) {
  Vector3d nearest = r - s / kAlpha;
  project_on_cone({0, 3, kMu}, nearest.data());
  return r - nearest;
}

// What is left of Newton's equations F + dF(dr, du + α dr) = 0 of one contact, by central differences.
template <class Map>
double find_error(const Map& map, const Vector3d& r, const Vector3d& s, const Vector3d& dr, const Vector3d& du) {
  const double h = 1e-6 / (1.0 + dr.norm() + du.norm());
  const Vector3d ds = du + kAlpha * dr;
  const Vector3d change = (map(r + h * dr, s + h * ds) - map(r - h * dr, s - h * ds)) / (2.0 * h);
  return (map(r, s) + change).norm() / (1.0 + dr.norm() + du.norm());
}

// Three contacts of two cubes, as a place for the law: their coupling plays no part.
class LineariseTest : public testing::Test {
 protected:
  LineariseTest() : tower_(test::make_tower(1, kMu, 0.0, 0.0, 1)) {
    matrix_.set(tower_.units);
    cone_.set(matrix_, tower_.units.q, tower_.units.mu);
    alpha_.setConstant(cone_.contacts(), kAlpha);
  }

  // Linearises at r and s of contact 0, and takes dr for a du.
  template <class Linearise>
  Vector3d find_change(const Linearise& linearise, const Vector3d& r, const Vector3d& s, const Vector3d& du,
                       double& size) {
    Eigen::VectorXd all_r = Eigen::VectorXd::Zero(3 * cone_.contacts()), all_s = all_r;
    for (int i = 0; i < cone_.contacts(); ++i) all_s[3 * i] = 1.0;  // the others are open without an impulse
    all_r.head<3>() = r;
    all_s.head<3>() = s;
    LinearLaw law;
    size = linearise(all_r, all_s, law);
    Vector3d dr = law.t.head<3>();
    for (int k = 0; k < 3; ++k)
      for (int j = 0; j < 3; ++j) dr[k] -= law.D[0](k, j) * du[j];
    return dr;
  }

  test::Tower tower_;
  UnitConeMatrix matrix_;
  ScaledCone cone_;
  Eigen::VectorXd alpha_;
};

TEST_F(LineariseTest, CoulombsLawHasTheDerivativesOfItsMap) {
  Random random(7);
  int modes[3] = {0, 0, 0};
  for (int k = 0; k < 3000; ++k) {
    const auto draw = [&] { return Vector3d(random.gaussian(), random.gaussian(), random.gaussian()); };
    const Vector3d r = draw(), s = draw(), du = draw(), tau = r - kRho * s;
    const double length = tau.tail<2>().norm();
    // not next to where the modes meet, nor where a direction turns fast
    if (std::abs(tau[0]) < 1e-2 || std::abs(length - kMu * tau[0]) < 1e-2 || length < 0.1) continue;
    ++modes[tau[0] <= 0.0 ? 0 : length <= kMu * tau[0] ? 1 : 2];
    double size = 0.0;
    const Vector3d dr = find_change(
        [&](const Eigen::VectorXd& x, const Eigen::VectorXd& y, LinearLaw& law) {
          return linearise_coulomb(cone_, x, y, kRho, alpha_, law);
        },
        r, s, du, size);
    EXPECT_NEAR(size, map_coulomb(r, s).norm(), 1e-12 * (1.0 + size));
    EXPECT_LT(find_error(map_coulomb, r, s, dr, du), 1e-7) << "tau " << tau.transpose();
  }
  for (const int count : modes) EXPECT_GT(count, 100);
}

TEST_F(LineariseTest, TheAssociatedLawHasThoseOfTheProjection) {
  Random random(8);
  for (int k = 0; k < 3000; ++k) {
    const auto draw = [&] { return Vector3d(random.gaussian(), random.gaussian(), random.gaussian()); };
    const Vector3d r = draw(), s = kAlpha * draw(), du = draw(), target = r - s / kAlpha;
    const double length = target.tail<2>().norm();
    if (std::abs(length - kMu * target[0]) < 1e-2 || std::abs(kMu * length + target[0]) < 1e-2 || length < 0.1)
      continue;
    double size = 0.0;
    const Vector3d dr = find_change(
        [&](const Eigen::VectorXd& x, const Eigen::VectorXd& y, LinearLaw& law) {
          return linearise_associated(cone_, x, y, alpha_, law);
        },
        r, s, du, size);
    EXPECT_LT(find_error(map_associated, r, s, dr, du), 1e-5) << "target " << target.transpose();
  }
}

TEST_F(LineariseTest, ARowGoesToItsBoundOrStopsBetweenThem) {
  std::vector<RowBounds> bounds(tower_.units.contacts.size());
  bounds[0] = {-1.0, 2.0};
  cone_.set(matrix_, tower_.units.q, tower_.units.mu, bounds);
  bounds[0] = cone_.bounds[0];  // in the units of the matrix
  const auto linearise = [&](const Eigen::VectorXd& x, const Eigen::VectorXd& y, LinearLaw& law) {
    return linearise_coulomb(cone_, x, y, 1.0, alpha_, law);
  };
  double size = 0.0;
  const Vector3d du(0.3, 0.0, 0.0);
  const double middle = 0.5 * (bounds[0].lower + bounds[0].upper);
  // beyond the upper bound it goes there, whatever du is
  Vector3d dr = find_change(linearise, {middle, 0, 0}, {middle - bounds[0].upper - 1.0, 0, 0}, du, size);
  EXPECT_NEAR(middle + dr[0], bounds[0].upper, 1e-15 * (1.0 + std::abs(middle)));
  // between them s + du + α dr = 0
  dr = find_change(linearise, {middle, 0, 0}, {0.01, 0, 0}, du, size);
  EXPECT_NEAR(0.01 + du[0] + kAlpha * dr[0], 0.0, 1e-15);
  EXPECT_NEAR(size, 0.01, 1e-15);
}

TEST_F(LineariseTest, MarkedContactsAloneMove) {
  std::vector<char> marked(tower_.units.contacts.size(), 0);
  marked[1] = 1;
  std::vector<Block3> D;
  linearise_marked(marked, alpha_, D);
  for (std::size_t i = 0; i < D.size(); ++i)
    for (int k = 0; k < 3; ++k)
      for (int j = 0; j < 3; ++j) EXPECT_EQ(D[i](k, j), i == 1 && k == j ? 1.0 / kAlpha : 0.0);
}

}  // namespace
}  // namespace rigor
