#include "rigor/stepping/settling.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rigor {
namespace {

constexpr double kTerms = 8.0;  // c of (1): a few dozen terms, half a unit each, with signs by chance
constexpr double kSlow = 1e-5;  // m/s or rad/s: above no rounding is looked for, as in cone_rounding()

std::size_t at(int index) {
  return static_cast<std::size_t>(index);
}

// all(unit) of the units that an island's blocks touch
template <class Predicate>
bool all_units(const ContactRows& rows, const ContactIsland& island, Predicate all) {
  for (const int k : island.blocks) {
    const OneSidedBlock& block = rows.blocks()[at(k)];
    for (int p = 0; p < block.part_count; ++p)
      if (!all(block.parts[p].unit)) return false;
  }
  return true;
}

}  // namespace

// A cheap look first: trees of their own, not driven, that hardly move.
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

// (1) of those
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

void Settling::settle(const ContactRows& rows, const ConstrainedSystem& system, const Eigen::VectorXd& f,
                      const Eigen::VectorXd& r, Eigen::VectorXd& v) {
  const auto rests = [&](int unit) { return rests_[at(unit)] != 0; };
  const auto island_rests = [&](const ContactIsland& island) { return all_units(rows, island, rests); };
  find_slow(system, v);
  if (std::none_of(rows.islands().begin(), rows.islands().end(), island_rests)) return;
  magnitude_ = f.cwiseAbs();
  rows.add_magnitudes(r, magnitude_);
  find_resting(system, v);
  for (const ContactIsland& island : rows.islands()) {
    if (!island_rests(island)) continue;
    (void)all_units(rows, island, [&](int unit) {
      v.segment(system.first_speed(unit), system.unit_speeds(unit)).setZero();
      return true;
    });
  }
}

}  // namespace rigor
