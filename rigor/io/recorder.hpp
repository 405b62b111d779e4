#pragma once

#include "rigor/io/recording.hpp"
#include "rigor/stepping/simulation.hpp"

namespace rigor {

/// Watches a simulation and says what its frames are. It changes nothing: a run that is watched ends with the
/// same bits.
class Recorder {
 public:
  /// The simulation must outlive the recorder; `every` and `checkpoint` [s] as in the header. Starts where
  /// the simulation is, which may be in the middle of a run that goes on.
  Recorder(const Simulation& simulation, double every, double checkpoint);

  /// To be told of every step. Whether it ends with a frame: where `every` has passed, and at the end.
  bool note(const StepReport& report);

  /// The present state, with what note() was told since the last frame. Until the next call.
  [[nodiscard]] const RecordedFrame& make_frame();

 private:
  const Simulation& simulation_;
  double every_, checkpoint_;
  double last_frame_;  // s
  double last_step_;   // s
  double h_{0.0};      // s
  std::array<double, kCertificateFields.size()> certificate_{};
  Kinematics<double> kin_;
  RecordedFrame frame_;  // keeps its room, as the bytes do
  std::string bytes_;
};

/// The header for a run: the scene as text, frames at most every `every` s (0: every step, or a thousandth of
/// the run where that is longer), precision by what the frames will take.
[[nodiscard]] RecordingHeader make_recording_header(const Scene& scene, const Simulation& simulation,
                                                    double every, double checkpoint);

}  // namespace rigor
