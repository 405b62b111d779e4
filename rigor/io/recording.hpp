#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "rigor/io/json.hpp"
#include "rigor/stepping/step_report.hpp"

/// What a run was: plain data, as recordings hold it and pages, tables and plots show it. The file is in
/// docs/architecture/recordings.md.
namespace rigor {

/// Numbers that say how well the steps since the frame before were solved: the worst of each, counts at the
/// frame's own step. Units as in StepReport.
inline constexpr std::array kCertificateFields = std::to_array<const char*>(
    {"residual", "constraint_error", "penetration", "cone_violation", "direction_violation", "lift_off",
     "sticking_drift", "rolling_drift", "energy_imbalance", "open", "sticking", "sliding", "islands",
     "largest_island", "iterations", "force_freedom", "unsolved_islands", "redundant_rows"});
/// Energies at the frame, and the ledger's items summed from the beginning; J.
inline constexpr std::array kEnergyFields = std::to_array<const char*>(
    {"kinetic", "potential", "applied", "motors", "bilateral", "relaxation", "normal", "friction", "limits",
     "numerical", "transport", "projection", "kinetic_change", "potential_change"});

/// A contact, with what tells it from others over time: 0 never, and the same while the same features touch.
struct RecordedContact {
  ContactReport report;
  std::uint64_t key{0};
};

/// The state after a step, and how it came about. The first frame is the beginning, after no step.
struct RecordedFrame {
  double t{0.0};                      // s
  std::int64_t step{0};               // steps taken
  double h{0.0};                      // length of the last one, s: force times h is the impulse
  std::uint64_t hash{0};              // hash_state() of the whole state
  Eigen::VectorXd q, v;               // as in State
  std::vector<double> motion_forces;  // of the scene's motions, N or N m
  std::array<double, kCertificateFields.size()> certificate{};
  std::array<double, kEnergyFields.size()> energy{};
  std::vector<RecordedContact> contacts;
  std::string snapshot;  // to_bytes(Snapshot), in frames from which the run can go on
};

/// How many digits the numbers of a recording keep. Times, certificates, energies and snapshots are always
/// whole.
enum class Precision {
  kDouble,
  kSingle  // q, v and points as floats; what else a contact has to 4 digits
};

struct RecordingHeader {
  std::string program;     // the version that wrote it
  std::string scene;       // text of the scene, with the run's settings, as write_scene() gives it
  double every{0.0};       // s between frames
  double checkpoint{0.0};  // s between snapshots, 0 without
  bool lead_matrix{false};
  bool has_user_elements{false};  // forces or constraints written in C++ took part, which no file holds
  Precision precision{Precision::kDouble};
};

struct Recording {
  RecordingHeader header;
  std::vector<RecordedFrame> frames;
  bool is_finished{false};  // the run reached its end
};

/// The numbers that a frame consists of. `type`: a name of NumberType (frame_codec.hpp).
struct ChannelInfo {
  std::uint16_t id{0};
  std::string name;
  std::string type;
  int width{1};                     // numbers per item
  std::vector<std::string> fields;  // names of the numbers, where they have some
  std::string about;
};

/// The channels that this version writes, in their order in a frame.
[[nodiscard]] const std::vector<ChannelInfo>& recording_channels(Precision precision);

/// A file begins with the mark, the version, the header's length and the header as JSON, all under a
/// checksum.
inline constexpr std::string_view kRecordingMark{"\x89RIGOR\r\n", 8};
inline constexpr std::uint32_t kRecordingVersion = 5;

/// The beginning of a file.
[[nodiscard]] std::string write_recording_header(const RecordingHeader& header);

/// The header's JSON text. Throws InvalidDocument naming `file`. `channels` are those of the file.
[[nodiscard]] RecordingHeader read_recording_header(const std::string& json, const std::string& file,
                                                    std::vector<ChannelInfo>& channels);

}  // namespace rigor
