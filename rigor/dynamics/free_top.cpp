#include "rigor/dynamics/free_top.hpp"

#include <array>
#include <cmath>

namespace rigor {
namespace {

constexpr double kPart = 0.25;      // rad: the most that one series turns
constexpr std::size_t kTerms = 32;  // kPart^32 is below rounding
constexpr double kSmall = 0x1p-55;  // of the first term: less does not change the sum

// e ∘ (0, w), components x y z w as Eigen keeps them
Eigen::Vector4d times_vector(const Eigen::Vector4d& e, const Eigen::Vector3d& w) {
  const Eigen::Vector3d x = e.head<3>();
  Eigen::Vector4d out;
  out.head<3>() = e[3] * w + x.cross(w);
  out[3] = -x.dot(w);
  return out;
}

}  // namespace

FreeTop::FreeTop(const Eigen::Matrix3d& I)
    : inverse_(I.inverse()), fastest_(inverse_.norm()) {}  // Frobenius' norm bounds the largest eigenvalue

bool FreeTop::turn(const Eigen::Vector3d& L, double h, Eigen::Quaterniond& e) const {
  const double most = h * fastest_ * L.norm();
  if (!(most <= kMostTurn)) return false;
  const double parts = std::ceil(most / kPart);
  for (int part = 0; part < static_cast<int>(parts); ++part) turn_part(L, h / parts, e);
  return true;
}

void FreeTop::turn_part(const Eigen::Vector3d& L, double h, Eigen::Quaterniond& e) const {
  std::array<Eigen::Vector3d, kTerms> pi, w;
  std::array<Eigen::Vector4d, kTerms> turned;
  pi[0] = e.conjugate() * L;
  w[0] = inverse_ * pi[0];
  turned[0] = e.coeffs();
  Eigen::Vector4d sum = turned[0];
  const double small_pi = kSmall * kSmall * pi[0].squaredNorm();
  int settled = 0;  // terms that were rounding, one after the other: one may vanish by symmetry

  for (std::size_t k = 0; k + 1 < kTerms && settled < 2; ++k) {
    Eigen::Vector3d next_pi = Eigen::Vector3d::Zero();
    Eigen::Vector4d next = Eigen::Vector4d::Zero();
    for (std::size_t j = 0; j <= k; ++j) {
      next_pi += pi[j].cross(w[k - j]);
      next += times_vector(turned[j], w[k - j]);
    }
    pi[k + 1] = h / static_cast<double>(k + 1) * next_pi;
    w[k + 1] = inverse_ * pi[k + 1];
    turned[k + 1] = 0.5 * h / static_cast<double>(k + 1) * next;
    sum += turned[k + 1];
    const bool is_small =
        pi[k + 1].squaredNorm() <= small_pi && turned[k + 1].squaredNorm() <= kSmall * kSmall;
    settled = is_small ? settled + 1 : 0;
  }
  e.coeffs() = sum;
  e.normalize();
}

Eigen::Vector3d FreeTop::angular_velocity(const Eigen::Vector3d& L, const Eigen::Matrix3d& R) const {
  return R * (inverse_ * (R.transpose() * L));
}

}  // namespace rigor
