#include "rigor/analysis/dependence.hpp"

#include <fmt/format.h>

#include <cmath>
#include <set>

#include "rigor/math/orthogonal_factor.hpp"

namespace rigor {
namespace {

struct NamedRow {
  Eigen::VectorXd row;
  std::size_t contact;
  int component;
};

std::string describe(const AccelerationProblem& problem, const NamedRow& row) {
  const AccelerationContact& contact = problem.contacts[row.contact];
  if (row.component == 0) return contact.name + ": normal";
  return contact.tangents() == 1 ? contact.name + ": tangent"
                                 : fmt::format("{}: tangent {}", contact.name, row.component);
}

// The rank of some rows alone.
int count_rank(const std::vector<NamedRow>& rows, bool tangents) {
  std::vector<const Eigen::VectorXd*> chosen;
  for (const NamedRow& row : rows)
    if ((row.component > 0) == tangents) chosen.push_back(&row.row);
  if (chosen.empty()) return 0;
  Eigen::MatrixXd K(chosen.front()->size(), static_cast<Eigen::Index>(chosen.size()));
  for (std::size_t k = 0; k < chosen.size(); ++k) K.col(static_cast<Eigen::Index>(k)) = *chosen[k];
  OrthogonalFactor factor;
  factor.compute(K);
  return static_cast<int>(factor.rank());
}

}  // namespace

DependenceReport find_dependence(const AccelerationProblem& problem) {
  DependenceReport report;
  std::vector<NamedRow> rows;
  for (std::size_t i = 0; i < problem.contacts.size(); ++i)
    rows.push_back({problem.contacts[i].normal, i, 0});
  report.normal_rows = static_cast<int>(rows.size());
  for (std::size_t i = 0; i < problem.contacts.size(); ++i)
    for (Eigen::Index k = 0; k < problem.contacts[i].tangents(); ++k)
      rows.push_back({problem.contacts[i].tangent.row(k).transpose(), i, static_cast<int>(k) + 1});
  report.rows = static_cast<int>(rows.size());
  report.tangent_rows = report.rows - report.normal_rows;
  report.normal_rank = count_rank(rows, false);
  report.tangent_rank = count_rank(rows, true);

  Eigen::MatrixXd Q(problem.size(), 0);
  std::vector<std::size_t> basis;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const double length = rows[r].row.norm();
    Eigen::VectorXd rest = length > 0.0 ? Eigen::VectorXd(rows[r].row / length) : rows[r].row;
    const Eigen::VectorXd unit = rest;
    for (int pass = 0; pass < 2; ++pass) rest -= Q * (Q.transpose() * rest);
    if (rest.norm() > OrthogonalFactor::kTolerance) {
      Q.conservativeResize(Eigen::NoChange, Q.cols() + 1);
      Q.col(Q.cols() - 1) = rest.normalized();
      basis.push_back(r);
      continue;
    }
    DependentRow dependent{describe(problem, rows[r]), {}};
    Eigen::MatrixXd B(problem.size(), static_cast<Eigen::Index>(basis.size()));
    for (std::size_t b = 0; b < basis.size(); ++b)
      B.col(static_cast<Eigen::Index>(b)) = rows[basis[b]].row.normalized();
    Eigen::VectorXd parts;
    OrthogonalFactor factor;
    std::set<std::size_t> contacts;
    if (!basis.empty()) {
      factor.compute(B);
      factor.solve(unit, parts);
      for (std::size_t b = 0; b < basis.size(); ++b)
        if (std::abs(parts[static_cast<Eigen::Index>(b)]) > 1e-8) contacts.insert(rows[basis[b]].contact);
    }
    for (const std::size_t i : contacts) dependent.follows.push_back(problem.contacts[i].name);
    report.dependent.push_back(std::move(dependent));
  }
  report.rank = static_cast<int>(basis.size());
  return report;
}

}  // namespace rigor
