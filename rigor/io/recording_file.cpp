#include "rigor/io/recording_file.hpp"

#include <zlib.h>

#include <algorithm>
#include <fstream>
#include <utility>

#include "rigor/base/diagnostic.hpp"
#include "rigor/base/interruption.hpp"
#include "rigor/io/byte_stream.hpp"

namespace rigor {
namespace {

constexpr std::uint32_t kFrameMark = 0x4D415246;  // FRAM
constexpr std::uint32_t kIsKey = 1, kIsEnd = 2;
constexpr std::size_t kFrameHead = 4 * sizeof(std::uint32_t);
constexpr std::size_t kMaxHeader = 256u << 20;
// What a file may ask for, in bytes of memory for each of its own. A body takes 13 numbers in a frame and more than ten
// bytes of the scene in the header, a new contact 15 numbers and an 8-byte key: frames have less than two numbers per
// byte. Numbers that stay the same take a 32nd of a bit, but for those of every 128th frame.
constexpr std::size_t kFrameRoom = 2 * sizeof(std::uint64_t), kLeastFrameRoom = 1u << 20;
constexpr std::size_t kTotalRoom = 256, kLeastTotalRoom = 64u << 20;
constexpr std::size_t kMaxPending = 256u << 10;  // bytes of frames that wait
constexpr auto kMaxWait = std::chrono::milliseconds(50);

std::uint32_t checksum(std::uint32_t start, std::string_view bytes) {
  return static_cast<std::uint32_t>(
      ::crc32_z(start, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

std::ifstream open_recording(const std::filesystem::path& path) {
  std::error_code ignored;
  const auto refuse = [&](const std::string& rule) {
    throw InvalidDocument(
        {{.file = path.string(), .rule = rule, .remedy = "Give a file that 'rigor run -o' wrote."}});
  };
  if (!std::filesystem::exists(path, ignored)) refuse("does not exist");
  if (!std::filesystem::is_regular_file(path, ignored)) refuse("is not a regular file");
  std::ifstream in(path, std::ios::binary);
  if (!in) refuse("cannot be read");
  return in;
}

std::size_t memory_of(const RecordedFrame& frame) {
  const auto numbers = static_cast<std::size_t>(frame.q.size() + frame.v.size()) + frame.motion_forces.size();
  return sizeof(RecordedFrame) + numbers * sizeof(double) + frame.contacts.size() * sizeof(RecordedContact) +
         frame.snapshot.size();
}

}  // namespace

RecordingWriter::RecordingWriter(const std::filesystem::path& path, const RecordingHeader& header,
                                 AppendFile::Write write)
    : file_(AppendFile::create(path, write_recording_header(header), std::move(write))),
      encoder_(header.precision),
      last_flush_(std::chrono::steady_clock::now()) {
  // the header ends with its checksum, from which the first frame's goes on
  const std::string bytes = write_recording_header(header);
  std::memcpy(&chain_, bytes.data() + bytes.size() - sizeof chain_, sizeof chain_);
}

RecordingWriter::RecordingWriter(const std::filesystem::path& path, const RecordingHeader& header,
                                 RecordingPosition position)
    : file_(AppendFile::open(path, position.offset)),
      encoder_(header.precision),
      chain_(position.chain),
      frames_(position.frames),
      safe_frames_(position.frames),
      last_flush_(std::chrono::steady_clock::now()) {
  encoder_.set_previous(std::move(position.memory));
}

RecordingWriter::~RecordingWriter() {
  try {
    flush();
  } catch (const std::runtime_error&) {  // whoever wants to know calls flush()
  }
}

void RecordingWriter::append(const RecordedFrame& frame) {
  const bool is_key = frames_ % kKeyFrameEvery == 0;
  add_piece(is_key ? kIsKey : 0, encoder_.encode(frame, is_key));
  ++frames_;
  const bool is_safe_wanted = !frame.snapshot.empty();
  if (is_safe_wanted || pending_.size() > kMaxPending ||
      std::chrono::steady_clock::now() - last_flush_ > kMaxWait)
    flush();
  if (is_safe_wanted) file_.sync();
}

void RecordingWriter::finish() {
  add_piece(kIsEnd, {});
  flush();
}

void RecordingWriter::flush() {
  last_flush_ = std::chrono::steady_clock::now();
  const std::uint64_t before = file_.size();
  const std::string pieces = std::exchange(pending_, {});
  const std::vector<std::size_t> ends = std::exchange(ends_, {});
  try {
    file_.append(pieces, ends);
  } catch (const std::runtime_error& error) {
    const auto whole = std::upper_bound(ends.begin(), ends.end(), file_.size() - before);
    safe_frames_ += static_cast<std::uint32_t>(whole - ends.begin());
    throw std::runtime_error(
        fmt::format("{} The {} before it are intact.", error.what(), count_text(safe_frames_, "frame")));
  }
  safe_frames_ = frames_;
}

void RecordingWriter::add_piece(std::uint32_t flags, std::string_view packed) {
  const std::size_t begin = pending_.size();
  ByteWriter out(pending_);
  out.put(kFrameMark);
  out.put(frames_);
  out.put(flags);
  out.put(static_cast<std::uint32_t>(packed.size()));
  out.put_bytes(packed);
  chain_ = checksum(chain_, std::string_view(pending_).substr(begin));
  out.put(chain_);
  ends_.push_back(pending_.size());
}

RecordingReader::RecordingReader(std::istream& in, std::string name) : in_(in), name_(std::move(name)) {
  read_header();
}

// How large the file is decides how much memory its frames may take.
void RecordingReader::set_room() {
  const std::streampos here = in_.tellg();
  in_.seekg(0, std::ios::end);
  const std::streamoff size = in_.tellg();
  in_.clear();
  in_.seekg(here);
  if (size >= 0)
    decoder_->set_room((kLeastFrameRoom + kFrameRoom * static_cast<std::size_t>(size)) /
                       sizeof(std::uint64_t));
}

void RecordingReader::refuse(const std::string& rule, const std::string& remedy) const {
  throw InvalidDocument({{.file = name_, .rule = rule, .remedy = remedy}});
}

// In pieces, so that a length which lies does not cost more memory than the file has bytes.
std::string RecordingReader::take(std::size_t count) {
  constexpr std::size_t kPiece = 1u << 20;
  std::string bytes;
  while (bytes.size() < count && in_) {
    const std::size_t have = bytes.size(), more = std::min(kPiece, count - have);
    bytes.resize(have + more);
    in_.read(bytes.data() + have, static_cast<std::streamsize>(more));
    bytes.resize(have + static_cast<std::size_t>(in_.gcount()));
  }
  return bytes;
}

void RecordingReader::read_header() {
  const std::string damaged = "Its frames cannot be read without it; run the scene again.";
  std::string bytes = take(kRecordingMark.size() + 2 * sizeof(std::uint32_t));
  if (!bytes.starts_with(kRecordingMark)) {
    if (bytes.size() < kRecordingMark.size() && kRecordingMark.starts_with(bytes) && !bytes.empty())
      refuse("is cut off within the header of a recording", damaged);
    refuse("is not a recording", "Give a file that 'rigor run -o' wrote.");
  }
  if (bytes.size() < kRecordingMark.size() + 2 * sizeof(std::uint32_t))
    refuse("is cut off within the header of a recording", damaged);
  ByteReader head(std::string_view(bytes).substr(kRecordingMark.size()));
  const auto version = head.get<std::uint32_t>();
  const auto size = head.get<std::uint32_t>();
  if (version > kRecordingVersion)
    refuse(
        fmt::format("is a recording of version {}, this Rigor reads version {}", version, kRecordingVersion),
        "Use the newer Rigor that wrote it.");
  if (version > 0 && version < kRecordingVersion)
    refuse(
        fmt::format("is a recording of version {}, this Rigor reads version {}", version, kRecordingVersion),
        "Run the scene again, or use the Rigor that wrote it.");
  if (version == 0 || size > kMaxHeader) refuse("has a damaged header", damaged);
  const std::string json = take(size), sum = take(sizeof(std::uint32_t));
  if (sum.size() < sizeof(std::uint32_t)) refuse("is cut off within the header of a recording", damaged);
  chain_ = checksum(0, bytes + json);
  if (ByteReader(sum).get<std::uint32_t>() != chain_) refuse("has a damaged header", damaged);
  std::vector<ChannelInfo> channels;
  header_ = read_recording_header(json, name_, channels);
  try {
    decoder_ = std::make_unique<FrameDecoder>(channels);
  } catch (const InvalidInput& error) {
    refuse(fmt::format("has a channel that cannot be read: {}", error.what()),
           "Use the Rigor that wrote it.");
  }
  set_room();
  offset_ = bytes.size() + json.size() + sum.size();
}

bool RecordingReader::stop(std::string damage, bool is_cut) {
  is_stopped_ = true;
  is_cut_ = is_cut;
  if (!damage.empty())
    damage_ = fmt::format("{}: {} The {} before it are sound.", name_, damage, count_text(frames_, "frame"));
  return false;
}

bool RecordingReader::next(RecordedFrame& frame) {
  check_interruption();
  if (is_stopped_) return false;
  std::string bytes = take(kFrameHead);
  if (bytes.empty()) return stop("");
  const std::string cut = fmt::format("the file ends within frame {}.", frames_);
  const std::string damaged = fmt::format("frame {} is damaged.", frames_);
  if (bytes.size() < kFrameHead) return stop(cut, true);
  ByteReader head(bytes);
  const auto mark = head.get<std::uint32_t>(), number = head.get<std::uint32_t>(),
             flags = head.get<std::uint32_t>(), size = head.get<std::uint32_t>();
  if (mark != kFrameMark || number != frames_ || size > kMaxFrameBytes || flags > 3) return stop(damaged);
  bytes += take(size + sizeof(std::uint32_t));
  if (bytes.size() < kFrameHead + size + sizeof(std::uint32_t)) return stop(cut, true);

  const std::string_view covered = std::string_view(bytes).substr(0, kFrameHead + size);
  const std::uint32_t chain = checksum(chain_, covered);
  if (ByteReader(std::string_view(bytes).substr(covered.size())).get<std::uint32_t>() != chain)
    return stop(damaged);
  if ((flags & kIsEnd) != 0) {
    is_finished_ = true;
    return stop(in_.peek() == std::istream::traits_type::eof() ? ""
                                                               : "more follows behind the end of the run.");
  }
  try {
    frame = decoder_->decode(covered.substr(kFrameHead), (flags & kIsKey) != 0);
  } catch (const InvalidInput& error) {
    return stop(fmt::format("frame {} makes no sense: {}", frames_, error.what()));
  }
  chain_ = chain;
  offset_ += bytes.size();
  ++frames_;
  return true;
}

RecordingPosition RecordingReader::position() const {
  return {offset_, chain_, frames_, decoder_->previous()};
}

RecordingContent read_recording(const std::filesystem::path& path) {
  std::ifstream in = open_recording(path);
  RecordingReader reader(in, path.string());
  RecordingContent content;
  content.recording.header = reader.header();
  RecordedFrame frame;
  std::error_code ignored;
  const std::size_t room = kLeastTotalRoom + kTotalRoom * std::filesystem::file_size(path, ignored);
  std::size_t taken = 0;
  while (reader.next(frame)) {
    taken += memory_of(frame);
    if (taken > room)
      throw InvalidDocument(
          {{.file = path.string(),
            .rule = fmt::format("its frames take more than {} MB of memory, {} times the file", room >> 20,
                                kTotalRoom),
            .remedy = "Record the run again with fewer frames (--every)."}});
    content.recording.frames.push_back(std::move(frame));
  }
  content.recording.is_finished = reader.is_finished();
  content.damage = reader.damage();
  content.is_cut = reader.is_cut();
  return content;
}

void require_no_user_elements(const RecordingHeader& header, const std::string& name) {
  if (!header.has_user_elements) return;
  throw InvalidDocument(
      {{.file = name,
        .rule = "forces or constraints written in C++ took part in this run, and no file holds them",
        .remedy = "Run it again, or go on with it, in the program that made it."}});
}

ResumePoint find_resume_point(const std::filesystem::path& path, bool has_user_elements) {
  std::ifstream in = open_recording(path);
  RecordingReader reader(in, path.string());
  ResumePoint point;
  point.header = reader.header();
  if (!has_user_elements) require_no_user_elements(point.header, path.string());
  const std::string ours = write_recording_header(point.header);
  std::ifstream again = open_recording(path);
  std::string theirs(ours.size(), '\0');
  again.read(theirs.data(), static_cast<std::streamsize>(theirs.size()));
  if (ours != theirs)
    throw InvalidDocument(
        {{.file = path.string(),
          .rule = fmt::format("was written by rigor {}, whose frames have other channels than ours",
                              point.header.program),
          .remedy = "Resume it with that one."}});
  point.position = reader.position();
  RecordedFrame frame;
  while (reader.next(frame)) {
    if (frame.snapshot.empty()) continue;
    point.snapshot = frame.snapshot;
    point.position = reader.position();
  }
  point.is_finished = reader.is_finished() && reader.damage().empty();
  return point;
}

}  // namespace rigor
