#include "rigor/stepping/settling.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "rigor/base/index.hpp"

namespace rigor {
namespace {

constexpr double kTerms = 8.0;  // c of (1): a few dozen terms, half a unit each, with signs by chance
constexpr double kSlow = 1e-5;  // m/s or rad/s: above no rounding is looked for

}  // namespace

// A cheap test first: single trees, not prescribed, that hardly move.
void Settling::find_slow(const ConstrainedSystem& system, const Eigen::VectorXd& v) {
  const Islands& islands = system.islands();
  rests_.assign(at(system.unit_count()), 0);
  for (std::size_t k = 0; k < islands.alone.size(); ++k) {
    bool is_slow = true;
    for (int i = islands.alone[k].begin; i < islands.alone[k].end; ++i)
      is_slow = is_slow && std::abs(v[i]) <= kSlow && !system.is_fixed()[at(i)];
    rests_[islands.list.size() + k] = is_slow;
  }
}

// Tests (1) for these.
void Settling::find_resting(const ConstrainedSystem& system, const Eigen::VectorXd& v) {
  constexpr double kRounding = kTerms * std::numeric_limits<double>::epsilon();
  const Islands& islands = system.islands();
  for (std::size_t k = 0; k < islands.alone.size(); ++k) {
    char& rests = rests_[islands.list.size() + k];
    if (!rests) continue;
    double energy = 0.0, rounding = 0.0;
    for (int i = islands.alone[k].begin; i < islands.alone[k].end; ++i) {
      const double mass = system.M().diagonal(i);
      energy += mass * v[i] * v[i];
      rounding += magnitude_[i] * magnitude_[i] / mass;
    }
    rests = energy <= kRounding * kRounding * rounding;
  }
}

// An island rests where all its units do.
bool Settling::find_resting_islands(const ContactRows& rows) {
  island_rests_.assign(rows.islands().size(), 1);
  for (std::size_t unit = 0; unit < rests_.size(); ++unit)
    if (const int island = rows.island_of(static_cast<int>(unit)); island >= 0 && !rests_[unit])
      island_rests_[at(island)] = 0;
  return std::find(island_rests_.begin(), island_rests_.end(), 1) != island_rests_.end();
}

void Settling::settle(const ContactRows& rows, const ConstrainedSystem& system, const Eigen::VectorXd& f,
                      const Eigen::VectorXd& r, Eigen::VectorXd& v) {
  find_slow(system, v);
  if (!find_resting_islands(rows)) return;
  magnitude_ = f.cwiseAbs();
  rows.add_magnitudes(r, magnitude_);
  find_resting(system, v);
  if (!find_resting_islands(rows)) return;
  for (int unit = 0; unit < system.unit_count(); ++unit)
    if (const int island = rows.island_of(unit); island >= 0 && island_rests_[at(island)])
      v.segment(system.first_speed(unit), system.unit_speeds(unit)).setZero();
}

}  // namespace rigor
