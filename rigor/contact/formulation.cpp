#include "rigor/contact/formulation.hpp"

#include <algorithm>

#include "rigor/base/require.hpp"
#include "rigor/contact/box_law.hpp"
#include "rigor/contact/cone_law.hpp"
#include "rigor/contact/phantom_law.hpp"
#include "rigor/contact/polyhedral_law.hpp"
#include "rigor/model/scene_words.hpp"

namespace rigor {

bool ContactFormulation::takes(const Contact&, const ContactMemory*) const {
  return true;
}

std::unique_ptr<ContactFormulation> make_formulation(const RunSettings& settings) {
  switch (settings.formulation) {
    case Formulation::kCone:
      return std::make_unique<ConeLaw>(settings, false);
    case Formulation::kConvex:
      return std::make_unique<ConeLaw>(settings, true);
    case Formulation::kAnitescuPotra:
      return std::make_unique<PolyhedralLaw>(settings, false);
    case Formulation::kStewartTrinkle:
      return std::make_unique<PolyhedralLaw>(settings, true);
    case Formulation::kBox:
      return std::make_unique<BoxLaw>(settings, false);
    case Formulation::kHybrid:
      return std::make_unique<BoxLaw>(settings, true);
    case Formulation::kPhantom:
      return std::make_unique<PhantomLaw>(settings);
  }
  return nullptr;  // not reached: the names above are all
}

double mean_inverse_mass(const Eigen::MatrixXd& W) {
  const double mean = W.rows() > 0 ? W.diagonal().mean() : 0.0;
  return mean > 0.0 ? mean : 1.0;
}

double compute_cone_violation(const ConeProblem& problem, const Eigen::VectorXd& r) {
  double worst = 0.0;
  for (const ConeBlock& block : problem.blocks) {
    worst = std::max(worst, -r[block.first]);
    if (block.size > 1)
      worst = std::max(worst, r.segment(block.first + 1, block.size - 1).norm() - block.mu * r[block.first]);
  }
  return worst * mean_inverse_mass(problem.W);
}

}  // namespace rigor
