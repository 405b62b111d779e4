#pragma once

#include <memory>
#include <optional>
#include <string>

#include "rigor/io/recorder.hpp"
#include "rigor/io/recording_file.hpp"

namespace rigor {

/// The file that `rigor run -o` asks for, filled while the run goes on.
class RunOutput {
 public:
  /// What -o, --every and --checkpoint say.
  struct Request {
    std::string path;        // none where empty
    double every{0.0};       // s, 0: as many frames as are useful
    double checkpoint{0.0};  // s, 0: none
    bool lead_matrix{false};
    JsonValue verdict{nullptr};  // for a page, see make_verdict(); none where null
  };

  /// Throws InvalidInput where the file's ending says nothing to us: before the run, not after it.
  static void check(const Request& request);

  /// Begins the file with a frame of the present state; the simulation must outlive this.
  RunOutput(const Scene& scene, const Simulation& simulation, const Request& request);
  /// Goes on with a recording from which the simulation was restarted.
  RunOutput(const std::string& path, const Simulation& simulation, const ResumePoint& point);

  /// To be told of every step that was taken. Throws std::runtime_error where the disk is full.
  void note(const StepReport& report);

  /// The verdict on the scene's beginning; null where none was asked for.
  [[nodiscard]] const JsonValue& verdict() const { return verdict_; }

  /// The run is over; one line for people that says what was written.
  [[nodiscard]] std::string finish();

 private:
  void add_frame();
  [[nodiscard]] bool is_at_end() const;

  std::string path_;
  const Simulation& simulation_;
  std::optional<Recorder> recorder_;
  std::unique_ptr<RecordingWriter> writer_;  // of a recording
  Recording page_;                           // of a page, which is written at the end
  JsonValue verdict_{nullptr};               // for it
};

}  // namespace rigor
