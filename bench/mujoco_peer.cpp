#include "bench/revolute_tree.hpp"

#ifdef RIGOR_HAVE_MUJOCO
#include <fmt/format.h>
#include <mujoco/mujoco.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>
#endif

namespace rigor::bench {

#ifdef RIGOR_HAVE_MUJOCO
namespace {

std::string numbers(const Eigen::Vector3d& v) {
  return fmt::format("{} {} {}", v.x(), v.y(), v.z());
}

// A link with all that it carries.
std::string link_text(const RevoluteTree& tree, int link) {
  std::string text = fmt::format(
      "<body pos='{}'><joint type='hinge' axis='{}'/><inertial pos='{}' mass='{}' diaginertia='{}'/>",
      numbers(tree.hinge(link)), numbers(tree.axis(link)), numbers(kLinkCenter), kLinkMass,
      numbers(kLinkInertia));
  for (int child = link + 1; child < tree.size(); ++child)
    if (tree.parent[static_cast<std::size_t>(child)] == link) text += link_text(tree, child);
  return text + "</body>";
}

class MuJoCo : public ForwardDynamics {
 public:
  explicit MuJoCo(const RevoluteTree& tree) {
    const std::string text = fmt::format(
        "<mujoco><option gravity='0 0 -{}'><flag contact='disable' constraint='disable'/></option>"
        "<worldbody>{}</worldbody></mujoco>",
        kGravity, link_text(tree, 0));
    const auto files = std::make_unique<mjVFS>();
    mj_defaultVFS(files.get());
    mj_makeEmptyFileVFS(files.get(), "tree.xml", static_cast<int>(text.size()));
    std::memcpy(files->filedata[0], text.data(), text.size());
    char error[500] = "";
    model_ = mj_loadXML("tree.xml", files.get(), error, sizeof error);
    mj_deleteVFS(files.get());
    if (model_ == nullptr) throw std::runtime_error(error);
    data_ = mj_makeData(model_);
  }
  MuJoCo(const MuJoCo&) = delete;
  MuJoCo& operator=(const MuJoCo&) = delete;
  ~MuJoCo() override {
    mj_deleteData(data_);
    mj_deleteModel(model_);
  }

  void compute(const Eigen::VectorXd& q, const Eigen::VectorXd& v, Eigen::VectorXd& a) override {
    std::copy(q.begin(), q.end(), data_->qpos);
    std::copy(v.begin(), v.end(), data_->qvel);
    mj_forward(model_, data_);
    std::copy(data_->qacc, data_->qacc + a.size(), a.begin());
  }

 private:
  mjModel* model_{nullptr};
  mjData* data_{nullptr};
};

}  // namespace

std::unique_ptr<ForwardDynamics> make_mujoco(const RevoluteTree& tree) {
  // its reader takes no elements nested deeper than 100
  std::vector<int> depth;
  for (const int parent : tree.parent) {
    depth.push_back(parent < 0 ? 1 : depth[static_cast<std::size_t>(parent)] + 1);
    if (depth.back() > 90) return nullptr;
  }
  return std::make_unique<MuJoCo>(tree);
}
#else
std::unique_ptr<ForwardDynamics> make_mujoco(const RevoluteTree&) {
  return nullptr;
}
#endif

}  // namespace rigor::bench
