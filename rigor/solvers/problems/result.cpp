#include "rigor/solvers/problems/result.hpp"

namespace rigor {

std::string_view to_string(Status status) {
  switch (status) {
    case Status::kSolved:
      return "solved";
    case Status::kRay:
      return "ray";
    case Status::kInfeasible:
      return "infeasible";
    case Status::kNoneBelow:
      return "none-below-bound";
    case Status::kIterationLimit:
      return "iteration-limit";
    case Status::kRounding:
      return "rounding";
    case Status::kNumericalTrouble:
      return "numerical-trouble";
  }
  return "unknown";
}

bool has_proof(Status status) {
  return status == Status::kInfeasible || status == Status::kNoneBelow;
}

}  // namespace rigor
