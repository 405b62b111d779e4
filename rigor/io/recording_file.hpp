#pragma once

#include <chrono>
#include <filesystem>
#include <istream>
#include <memory>

#include "rigor/io/append_file.hpp"
#include "rigor/io/frame_codec.hpp"

/// Recordings as files: written frame by frame, readable up to the last whole one whatever happens.
///
/// After the header (recording.hpp) come frames
///
///     u32 mark · u32 number · u32 flags · u32 bytes · the bytes (frame_codec.hpp) · u32 checksum
///
/// and, where the run reached its end, a last one without content. The checksum (CRC-32) goes on from that of
/// the frame before, the first from the header's: a frame that is lost, repeated or moved is noticed too.
namespace rigor {

/// A place between two frames of a file, and what is needed to go on there.
struct RecordingPosition {
  std::uint64_t offset{0};  // bytes
  std::uint32_t chain{0};   // checksum so far
  std::uint32_t frames{0};
  FrameMemory memory;
};

/// Frames go to the file together, every 50 ms or 256 kB: that is all that a crash can take.
class RecordingWriter {
 public:
  /// Makes the file, with its header. Throws std::runtime_error naming path and reason.
  RecordingWriter(const std::filesystem::path& path, const RecordingHeader& header,
                  AppendFile::Write write = {});
  /// Goes on in a file; what is behind `position` is cut off.
  RecordingWriter(const std::filesystem::path& path, const RecordingHeader& header,
                  RecordingPosition position);
  /// Writes what is left, where it can.
  ~RecordingWriter();
  RecordingWriter(const RecordingWriter&) = delete;
  RecordingWriter& operator=(const RecordingWriter&) = delete;

  /// Whole or not at all; throws std::runtime_error naming path, reason and how many frames are safe. A frame
  /// with a snapshot is on the disk when this returns.
  void append(const RecordedFrame& frame);
  /// Writes the frames that wait. Throws alike.
  void flush();
  /// The run reached its end.
  void finish();

  [[nodiscard]] std::uint32_t frame_count() const { return frames_; }
  /// Of the file, with the frames that wait.
  [[nodiscard]] std::uint64_t size() const { return file_.size() + pending_.size(); }

 private:
  void add_piece(std::uint32_t flags, std::string_view packed);

  AppendFile file_;
  FrameEncoder encoder_;
  std::uint32_t chain_{0};
  std::uint32_t frames_{0}, safe_frames_{0};
  std::string pending_;            // pieces that wait
  std::vector<std::size_t> ends_;  // of each, in pending_
  std::chrono::steady_clock::time_point last_flush_;
};

/// Reads frames in their order.
class RecordingReader {
 public:
  /// The stream must outlive the reader. Throws InvalidDocument naming `name` where it is no recording, one
  /// of a newer version, or one with a damaged header.
  RecordingReader(std::istream& in, std::string name);

  [[nodiscard]] const RecordingHeader& header() const { return header_; }

  /// False at the end, or where the file is damaged: see damage().
  bool next(RecordedFrame& frame);

  /// The run reached its end, and so did we.
  [[nodiscard]] bool is_finished() const { return is_finished_; }
  /// What is wrong behind the last frame, a sentence; empty where nothing is.
  [[nodiscard]] const std::string& damage() const { return damage_; }
  /// Whether the damage is only that the file stops within a frame, as after a crash.
  [[nodiscard]] bool is_cut() const { return is_cut_; }
  /// Behind the last frame that next() gave.
  [[nodiscard]] RecordingPosition position() const;

 private:
  [[noreturn]] void refuse(const std::string& rule, const std::string& remedy) const;
  void read_header();
  void set_room();
  bool stop(std::string damage, bool is_cut = false);
  [[nodiscard]] std::string take(std::size_t count);

  std::istream& in_;
  std::string name_;
  RecordingHeader header_;
  std::unique_ptr<FrameDecoder> decoder_;
  std::uint64_t offset_{0};
  std::uint32_t chain_{0};
  std::uint32_t frames_{0};
  bool is_finished_{false}, is_stopped_{false}, is_cut_{false};
  std::string damage_;
};

/// All frames of a file up to its end, or to where it is damaged. Throws InvalidDocument where there is none, or
/// where all frames together would take more memory than 64 MB and 256 times the file.
struct RecordingContent {
  Recording recording;
  std::string damage;  // empty where the file is sound
  bool is_cut{false};
};
[[nodiscard]] RecordingContent read_recording(const std::filesystem::path& path);

/// The last frame from which the run can go on, and the place behind it; the beginning where there is none.
/// Throws InvalidDocument too where another version of Rigor wrote the file, which would mix two kinds of
/// frames in it, and, unless `user` elements are at hand, where forces or constraints written in C++ took part in the
/// run: without them it would go on as another one.
struct ResumePoint {
  RecordingHeader header;
  std::string snapshot;  // empty: from the beginning
  RecordingPosition position;
  bool is_finished{false};  // nothing is left to do
};
[[nodiscard]] ResumePoint find_resume_point(const std::filesystem::path& path,
                                            bool has_user_elements = false);

/// Throws InvalidDocument where forces or constraints written in C++ took part in the recorded run.
void require_no_user_elements(const RecordingHeader& header, const std::string& name);

}  // namespace rigor
