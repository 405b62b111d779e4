#pragma once

#include "rigor/model/check_scene.hpp"

namespace rigor {

/// Nothing is ignored silently: a setting of `run` that differs from its default although the method or the formulation
/// does not use it is an issue, and so is restitution, until impacts with bounces exist.
void check_run_rules(const Scene& scene, SceneIssues& issues);

/// Puts the settings that the method or the formulation does not use back to their defaults: for those who compare
/// formulations on one scene.
void reset_unused(RunSettings& run);

}  // namespace rigor
