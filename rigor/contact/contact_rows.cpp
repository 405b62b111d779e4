#include "rigor/contact/contact_rows.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "rigor/base/index.hpp"
#include "rigor/contact/half_products.hpp"
#include "rigor/contact/six_products.hpp"
#include "rigor/math/portable.hpp"

namespace rigor {
ContactRows::ContactRows(ConstrainedSystem& system) : system_(system) {
  for (const ModelBody& body : system.model().bodies) {
    is_plain_.push_back(is_plain(body));
    const auto fixed = system.is_fixed().begin() + body.v0;
    is_free_.push_back(is_plain_.back() && system.first_speed(system.unit_of(body.v0)) == body.v0 &&
                       system.unit_speeds(system.unit_of(body.v0)) == 6 &&
                       std::none_of(fixed, fixed + 6, [](char value) { return value != 0; }));
  }
}

void ContactRows::clear() {
  blocks_.clear();
  J_.clear();
  Y_.clear();
  rows_ = 0;
}

OneSidedBlock& ContactRows::add_block(BlockSource source, int index, int size) {
  OneSidedBlock& block = blocks_.emplace_back();
  block.source = source;
  block.index = index;
  block.size = size;
  block.first = rows_;
  rows_ += size;
  return block;
}

OneSidedBlock::Part& ContactRows::find_part(OneSidedBlock& block, int unit) {
  for (int k = 0; k < block.part_count; ++k)
    if (block.parts[k].unit == unit) return block.parts[k];
  OneSidedBlock::Part& part = block.parts[block.part_count++];
  part.unit = unit;
  part.speeds = system_.unit_speeds(unit);
  part.first_speed = system_.first_speed(unit);
  part.J = J_.take(at(part.speeds * block.size));
  std::fill_n(J_.data() + part.J, part.speeds * block.size, 0.0);
  return part;
}

namespace {

// The row of a direction n, times scale, of a free body with speeds along the world's axes:
// n·(v + ω × d) = n·v + (d × n)·ω.
inline void fill_plain_row(const double* n, double scale, const double* d, double* row) {
  const double x = scale * n[0], y = scale * n[1], z = scale * n[2];
  row[0] = d[1] * z - d[2] * y;
  row[1] = d[2] * x - d[0] * z;
  row[2] = d[0] * y - d[1] * x;
  row[3] = x;
  row[4] = y;
  row[5] = z;
}

}  // namespace

// A free body that is a unit of its own: a contact acts on it with one part only.
void ContactRows::add_free_body(OneSidedBlock& block, const Contact& contact, BodyIndex body, double sign) {
  OneSidedBlock::Part& part = block.parts[block.part_count++];
  part.first_speed = system_.model().bodies[at(body)].v0;
  part.unit = system_.unit_of(part.first_speed);
  part.speeds = 6;
  part.is_free = true;
  part.J = J_.take(at(6 * block.size));
  double* const J = J_.data() + part.J;
  const Eigen::Vector3d arm = contact.point - system_.kinematics().bodies[at(body)].p;
  const double *const n = contact.frame.data(), *const d = arm.data();
  fill_plain_row(n, sign, d, J);
  if (block.size > 1) fill_plain_row(n + 3, sign, d, J + 6);
  if (block.size > 2) fill_plain_row(n + 6, sign * contact.mu_ratio, d, J + 12);
}

// The same where the body shares its unit with others.
void ContactRows::add_plain_rows(const OneSidedBlock& block, const OneSidedBlock::Part& part, int first,
                                 const Contact& contact, const Eigen::Vector3d& arm, double sign) {
  double* const J = J_.data() + part.J + at(first);
  for (int k = 0; k < block.size; ++k) {
    double row[6];
    fill_plain_row(contact.frame.data() + 3 * k, k == 2 ? sign * contact.mu_ratio : sign, arm.data(), row);
    for (int i = 0; i < 6; ++i) J[k * part.speeds + i] += row[i];
  }
}

// Adds the velocity of the body's material point at the contact, speed by speed on the way to the root.
void ContactRows::add_body(OneSidedBlock& block, const Contact& contact, BodyIndex body, double sign) {
  if (is_free_[at(body)]) return add_free_body(block, contact, body, sign);
  const Model& model = system_.model();
  const Kinematics<double>& kin = system_.kinematics();
  for (; body != kWorldIndex; body = model.bodies[at(body)].parent) {
    const ModelBody& own = model.bodies[at(body)];
    const Eigen::Vector3d arm = contact.point - kin.bodies[at(body)].p;
    if (is_plain_[at(body)]) {
      const OneSidedBlock::Part& part = find_part(block, system_.unit_of(own.v0));
      add_plain_rows(block, part, system_.local_speed(own.v0), contact, arm, sign);
      continue;
    }
    for (int i = own.v0; i < own.v0 + own.nv; ++i) {
      const OneSidedBlock::Part& part = find_part(block, system_.unit_of(i));
      const Eigen::Vector3d velocity =
          kin.S.col(i).tail<3>() + Eigen::Vector3d(kin.S.col(i).head<3>()).cross(arm);
      double* const column = J_.data() + part.J + at(system_.local_speed(i));
      for (int k = 0; k < block.size; ++k) {
        const double scale = k == 2 ? contact.mu_ratio : 1.0;
        column[at(k * part.speeds)] += sign * scale * contact.frame.col(k).dot(velocity);
      }
    }
  }
}

bool ContactRows::add_contact(const Contact& contact, int index) {
  OneSidedBlock& block = add_block(BlockSource::kContact, index, contact.rows);
  block.mu = contact.mu;
  add_body(block, contact, contact.a, 1.0);
  add_body(block, contact, contact.b, -1.0);
  if (block.part_count > 0) return true;
  rows_ -= block.size;
  blocks_.pop_back();
  return false;
}

void ContactRows::add_limit(int v, double sign, int index) {
  OneSidedBlock& block = add_block(BlockSource::kLimit, index, 1);
  const OneSidedBlock::Part& part = find_part(block, system_.unit_of(v));
  J_.data()[part.J + at(system_.local_speed(v))] = sign;
}

void ContactRows::add_spring(int island, int row, int side) {
  OneSidedBlock& block = add_block(BlockSource::kSpring, row, 1);
  block.island = island;
  const OneSidedBlock::Part& part = find_part(block, island);
  const auto column = system_.rows(at(island)).Jt.col(row);
  for (Eigen::Index i = 0; i < column.size(); ++i)
    J_.data()[part.J + static_cast<std::size_t>(i)] = side * column[i];
}

ContactRows::ConstMap ContactRows::J(const OneSidedBlock& block, int part) const {
  return {J_.data() + block.parts[part].J, block.parts[part].speeds, block.size};
}

ContactRows::ConstMap ContactRows::Y(const OneSidedBlock& block, int part) const {
  return {Y_.data() + block.parts[part].Y, block.parts[part].half, block.size};
}

void ContactRows::finish() {
  half_begin_.assign(1, 0);
  for (int unit = 0; unit < system_.unit_count(); ++unit)
    half_begin_.push_back(half_begin_.back() + static_cast<int>(system_.half_size(unit)));
  Y_.clear();
  for (OneSidedBlock& block : blocks_) {
    block.inverse_mass = block.trace = 0.0;
    for (int k = 0; k < block.part_count; ++k) {
      OneSidedBlock::Part& part = block.parts[k];
      part.first_half = half_begin_.data()[part.unit];
      part.half = half_begin_.data()[part.unit + 1] - part.first_half;
      part.Y = Y_.take(at(part.half * block.size));
      double* const half = Y_.data() + part.Y;
      if (part.is_free) {
        system_.half_apply_free(part.first_speed, block.size, J_.data() + part.J, half);
        part.inverse_mass = squared_norm_six(half);
        block.inverse_mass += part.inverse_mass;
        for (int r = 0; r < block.size; ++r) block.trace += squared_norm_six(half + 6 * r);
        continue;
      }
      system_.half_apply(part.unit, {J_.data() + part.J, part.speeds, block.size},
                         {half, part.half, block.size});
      for (int r = 0; r < block.size; ++r) {
        const double own = Y(block, k).col(r).squaredNorm();
        if (r == 0) part.inverse_mass = own;
        block.trace += own;
      }
      block.inverse_mass += part.inverse_mass;
    }
  }
  find_islands();
}

int ContactRows::find_root(int unit) {
  while (root_[at(unit)] != unit) unit = root_[at(unit)] = root_[at(root_[at(unit)])];
  return unit;
}

// Units that a block acts on belong to one island; islands are numbered by their first block.
void ContactRows::find_islands() {
  const int units = system_.unit_count();
  root_.resize(at(units));
  std::iota(root_.begin(), root_.end(), 0);
  for (const OneSidedBlock& block : blocks_) {
    if (block.part_count < 2) continue;
    const int a = find_root(block.parts[0].unit), b = find_root(block.parts[1].unit);
    root_[at(std::max(a, b))] = std::min(a, b);
  }
  island_of_unit_.assign(at(units), -1);
  island_count_ = 0;
  for (std::size_t k = 0; k < blocks_.size(); ++k) {
    int& island = island_of_unit_[at(find_root(blocks_[k].parts[0].unit))];
    if (island < 0) {
      island = static_cast<int>(island_count_++);
      if (islands_.size() < island_count_) islands_.emplace_back();
      islands_[at(island)].blocks.clear();
      islands_[at(island)].rows = 0;
    }
    islands_[at(island)].blocks.push_back(static_cast<int>(k));
    islands_[at(island)].rows += blocks_[k].size;
  }
  for (int unit = 0; unit < units; ++unit) island_of_unit_[at(unit)] = island_of_unit_[at(find_root(unit))];
}

// Adds Yᵀ Y of two parts on one unit to entries of W, whose columns are `stride` apart.
void ContactRows::add_entries(const OneSidedBlock& block, int part, const OneSidedBlock& other,
                              int other_part, double* W, int stride) const {
  const int half = block.parts[part].half;
  const double* const rows = Y_.data() + block.parts[part].Y;
  const double* const columns = Y_.data() + other.parts[other_part].Y;
  if (block.size == 3 && other.size == 3)
    return call_with_avx<add_squares_three>(rows, columns, static_cast<long>(half), W,
                                            static_cast<long>(stride));
  for (int j = 0; j < other.size; ++j)
    for (int i = 0; i < block.size; ++i) {
      using Column = Eigen::Map<const Eigen::VectorXd>;
      W[j * stride + i] += Column(rows + i * half, half).cwiseProduct(Column(columns + j * half, half)).sum();
    }
}

void ContactRows::assemble(const ContactIsland& island, const Eigen::VectorXd& u_free,
                           ConeProblem& problem) const {
  problem.W.setZero(island.rows, island.rows);
  problem.q.resize(island.rows);
  problem.blocks.resize(island.blocks.size());
  int first = 0;
  for (std::size_t k = 0; k < island.blocks.size(); ++k) {
    const OneSidedBlock& block = blocks_[at(island.blocks[k])];
    problem.blocks[k] = {first, block.size, block.mu};
    problem.q.segment(first, block.size) = u_free.segment(block.first, block.size);
    problem.q[first] += block.offset;
    for (std::size_t l = 0; l <= k; ++l) {
      const OneSidedBlock& other = blocks_.data()[island.blocks[l]];
      bool any = false;  // most pairs of a large island share no unit
      for (int a = 0; a < block.part_count; ++a)
        for (int b = 0; b < other.part_count; ++b)
          if (block.parts[a].unit == other.parts[b].unit) {
            any = true;
            add_entries(block, a, other, b, &problem.W(first, problem.blocks[l].first), island.rows);
          }
      if (!any || l == k) continue;
      for (int j = 0; j < other.size; ++j)
        for (int i = 0; i < block.size; ++i)
          problem.W(problem.blocks[l].first + j, first + i) =
              problem.W(first + i, problem.blocks[l].first + j);
    }
    problem.W(first, first) += block.compliance;
    first += block.size;
  }
}

void ContactRows::compute_half_rows(const ContactIsland& island, Eigen::MatrixXd& Y_out) const {
  std::vector<Eigen::Index> start(at(system_.unit_count()), -1);
  Eigen::Index height = 0;
  for (const int b : island.blocks)
    for (int k = 0; k < blocks_[at(b)].part_count; ++k) {
      const OneSidedBlock::Part& part = blocks_[at(b)].parts[k];
      if (start[at(part.unit)] >= 0) continue;
      start[at(part.unit)] = height;
      height += part.half;
    }
  Y_out.setZero(height, island.rows);
  int first = 0;
  for (const int b : island.blocks) {
    const OneSidedBlock& block = blocks_[at(b)];
    for (int k = 0; k < block.part_count; ++k)
      Y_out.block(start[at(block.parts[k].unit)], first, block.parts[k].half, block.size) += Y(block, k);
    first += block.size;
  }
}

void ContactRows::assemble_normals(const ContactIsland& island, const Eigen::VectorXd& q,
                                   ConeProblem& problem) const {
  const auto count = static_cast<Eigen::Index>(island.blocks.size());
  problem.W.setZero(count, count);
  problem.q.resize(count);
  problem.blocks.resize(island.blocks.size());
  for (Eigen::Index k = 0; k < count; ++k) {
    const OneSidedBlock& block = blocks_[at(island.blocks[static_cast<std::size_t>(k)])];
    problem.blocks[static_cast<std::size_t>(k)] = {static_cast<int>(k), 1, 0.0};
    problem.q[k] = q[block.first];
    for (Eigen::Index l = 0; l <= k; ++l) {
      const OneSidedBlock& other = blocks_[at(island.blocks[static_cast<std::size_t>(l)])];
      double w = 0.0;
      for (int a = 0; a < block.part_count; ++a)
        for (int b = 0; b < other.part_count; ++b)
          if (block.parts[a].unit == other.parts[b].unit) w += Y(block, a).col(0).dot(Y(other, b).col(0));
      problem.W(k, l) = problem.W(l, k) = w;
    }
  }
}

// The units of the island, one after the other, with their free motion.
ContactRows::HalfCoordinates ContactRows::collect_half_coordinates(const ContactIsland& island,
                                                                   const Eigen::VectorXd& f) const {
  const Islands& islands = system_.islands();
  HalfCoordinates half{std::vector<Eigen::Index>(at(system_.unit_count()), -1), {}};
  Eigen::VectorXd local, free;
  for (const int b : island.blocks) {
    const OneSidedBlock& block = blocks_[at(b)];
    for (int k = 0; k < block.part_count; ++k) {
      const OneSidedBlock::Part& part = block.parts[k];
      const std::size_t unit = at(part.unit);
      if (half.start[unit] >= 0) continue;
      half.start[unit] = static_cast<Eigen::Index>(half.free.size());
      local.resize(part.speeds);
      free.resize(part.half);
      if (unit >= islands.list.size()) {
        const TreeRange& tree = islands.alone[unit - islands.list.size()];
        local = f.segment(tree.begin, part.speeds);
      } else {
        for (const TreeRange& tree : islands.list[unit].trees)
          local.segment(tree.offset, tree.end - tree.begin) = f.segment(tree.begin, tree.end - tree.begin);
      }
      system_.half_apply(part.unit, local, free);
      half.free.insert(half.free.end(), free.begin(), free.end());
    }
  }
  return half;
}

// Adds contact c: N and D get its rows, `rest` loses the part of its free speeds that the coordinates have.
void ContactRows::add_polyhedral_rows(const OneSidedBlock& block, Eigen::Index c, int directions,
                                      const HalfCoordinates& half, Triplets& N, Triplets& D,
                                      Eigen::Vector3d& rest) const {
  for (int k = 0; k < block.part_count; ++k) {
    const Eigen::Index from = half.start[at(block.parts[k].unit)];
    const ConstMap y = Y(block, k);
    const Eigen::Map<const Eigen::VectorXd> y_free(half.free.data() + from, block.parts[k].half);
    rest.head(block.size) -= y.transpose().lazyProduct(y_free);
    for (Eigen::Index i = 0; i < y.rows(); ++i)
      if (y(i, 0) != 0.0) N.emplace_back(c, from + i, y(i, 0));
    for (int d = 0; d < directions; ++d) {
      const double angle = 2.0 * M_PI * d / directions;
      const double cosine = portable::cos(angle), sine = portable::sin(angle);
      for (Eigen::Index i = 0; i < y.rows(); ++i) {
        const double along =
            directions == 2 ? (d == 0 ? y(i, 1) : -y(i, 1)) : cosine * y(i, 1) + sine * y(i, 2);
        if (along != 0.0) D.emplace_back(c * directions + d, from + i, along);
      }
    }
  }
}

std::optional<ContactLcpProblem> ContactRows::make_contact_lcp(const ContactIsland& island,
                                                               const Eigen::VectorXd& u_free,
                                                               const Eigen::VectorXd& f,
                                                               int directions) const {
  for (const int b : island.blocks)
    if (blocks_[at(b)].source != BlockSource::kContact || (blocks_[at(b)].size != 2 && directions == 2))
      return {};
  HalfCoordinates half = collect_half_coordinates(island, f);
  const auto count = static_cast<Eigen::Index>(island.blocks.size());
  Triplets N, D;
  ContactLcpProblem problem;
  problem.directions = directions;
  problem.b.resize(count);
  problem.mu.resize(count);
  for (Eigen::Index c = 0; c < count; ++c) {
    const OneSidedBlock& block = blocks_[at(island.blocks[static_cast<std::size_t>(c)])];
    Eigen::Vector3d rest = Eigen::Vector3d::Zero();  // part of the free speeds outside the coordinates
    rest.head(block.size) = u_free.segment(block.first, block.size);
    const double scale = rest.norm();
    add_polyhedral_rows(block, c, directions, half, N, D, rest);
    if (rest.tail<2>().norm() > 1e-12 * (1.0 + scale)) return {};
    problem.b[c] = rest[0] + block.offset;
    problem.mu[c] = block.mu;
    // a coordinate for each row that gives way
    if (block.compliance > 0.0) {
      N.emplace_back(c, half.free.size(), std::sqrt(block.compliance));
      half.free.push_back(0.0);
    }
  }
  const auto dof = static_cast<Eigen::Index>(half.free.size());
  problem.v_free = Eigen::Map<const Eigen::VectorXd>(half.free.data(), dof);
  problem.mass.resize(dof, dof);
  problem.mass.setIdentity();
  problem.N.resize(count, dof);
  problem.N.setFromTriplets(N.begin(), N.end());
  problem.D.resize(count * directions, dof);
  problem.D.setFromTriplets(D.begin(), D.end());
  return problem;
}

void ContactRows::gather(const ContactIsland& island, const Eigen::VectorXd& all,
                         Eigen::VectorXd& own) const {
  own.resize(island.rows);
  int first = 0;
  for (const int k : island.blocks) {
    std::copy_n(all.data() + blocks_[at(k)].first, blocks_[at(k)].size, own.data() + first);
    first += blocks_[at(k)].size;
  }
}

void ContactRows::scatter(const ContactIsland& island, const Eigen::VectorXd& own,
                          Eigen::VectorXd& all) const {
  int first = 0;
  for (const int k : island.blocks) {
    std::copy_n(own.data() + first, blocks_[at(k)].size, all.data() + blocks_[at(k)].first);
    first += blocks_[at(k)].size;
  }
}

}  // namespace rigor
