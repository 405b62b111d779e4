#include "rigor/io/frame_codec.hpp"

#include <zlib.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "rigor/io/byte_stream.hpp"

namespace rigor {
namespace {

// Rounds a float to `bits` of its mantissa, to even: what is left out packs to nothing.
float round_bits(float value, int bits) {
  if (!std::isfinite(value)) return value;
  const int drop = 23 - bits;
  auto word = std::bit_cast<std::uint32_t>(value);
  word += (1u << (drop - 1)) - 1 + (word >> drop & 1u);
  return std::bit_cast<float>(word & ~((1u << drop) - 1));
}

constexpr int kAllBits = 24;
constexpr int kDigits4 = 14;  // bits that 4 digits and a bit need

// The numbers of one channel, one after the other.
class Column {
 public:
  Column(const ChannelInfo& channel, std::string& out) : is_single_(channel.type == "f4"), out_(out) {}

  void put_real(double value, int bits = kAllBits) {
    if (!is_single_)
      out_.put(value);
    else if (bits == kAllBits)
      out_.put(static_cast<float>(value));
    else
      out_.put(round_bits(static_cast<float>(value), bits));
  }
  template <class Range>
  void put_reals(const Range& values, int bits = kAllBits) {
    for (const double value : values) put_real(value, bits);
  }
  template <class T>
  void put(T value) {
    out_.put(value);
  }

 private:
  bool is_single_;
  ByteWriter out_;
};

void fill_contact_column(const RecordedFrame& frame, const std::string& name, Column& out) {
  const auto each = [&](auto put) {
    for (const RecordedContact& contact : frame.contacts) put(contact.report);
  };
  using Report = const ContactReport&;
  if (name == "contact.bodies")
    each([&](Report contact) { out.put(std::int32_t{contact.a}), out.put(std::int32_t{contact.b}); });
  if (name == "contact.key")
    for (const RecordedContact& contact : frame.contacts) out.put(contact.key);
  if (name == "contact.mode") each([&](Report contact) { out.put(static_cast<std::uint8_t>(contact.mode)); });
  if (name == "contact.point") each([&](Report contact) { out.put_reals(contact.point); });
  if (name == "contact.normal") each([&](Report contact) { out.put_reals(contact.normal, kDigits4); });
  if (name == "contact.gap") each([&](Report contact) { out.put_real(contact.gap, kDigits4); });
  if (name == "contact.force") each([&](Report contact) { out.put_reals(contact.force, kDigits4); });
  if (name == "contact.velocity") each([&](Report contact) { out.put_reals(contact.velocity, kDigits4); });
  if (name == "contact.mu") each([&](Report contact) { out.put_real(contact.mu, kDigits4); });
}

void fill_column(const RecordedFrame& frame, const ChannelInfo& channel, std::string& bytes) {
  const std::string& name = channel.name;
  Column out(channel, bytes);
  if (name.starts_with("contact.")) return fill_contact_column(frame, name, out);
  if (name == "time") out.put(frame.t);
  if (name == "step") out.put(frame.step);
  if (name == "step_length") out.put(frame.h);
  if (name == "hash") out.put(frame.hash);
  if (name == "q") out.put_reals(frame.q);
  if (name == "v") out.put_reals(frame.v);
  if (name == "motion_force") out.put_reals(frame.motion_forces);
  if (name == "certificate") out.put_reals(frame.certificate);
  if (name == "energy") out.put_reals(frame.energy);
  if (name == "snapshot") bytes = frame.snapshot;
}

std::size_t bytes_of(const std::string& type) {
  return static_cast<std::size_t>(type.back() - '0');
}

// In place, with what the frame before has; both directions are the same.
void compare(const std::string* previous, std::string& bytes) {
  if (!previous) return;
  const std::size_t n = std::min(previous->size(), bytes.size());
  for (std::size_t i = 0; i < n; ++i) bytes[i] = static_cast<char>(bytes[i] ^ (*previous)[i]);
}

// First bytes of all numbers, then second bytes, …
std::string by_place(std::string_view bytes, std::size_t width) {
  std::string out(bytes.size(), '\0');
  const std::size_t count = bytes.size() / width;
  for (std::size_t k = 0; k < width; ++k)
    for (std::size_t i = 0; i < count; ++i) out[k * count + i] = bytes[i * width + k];
  return out;
}

std::string by_number(std::string_view bytes, std::size_t width) {
  std::string out(bytes.size(), '\0');
  const std::size_t count = bytes.size() / width;
  for (std::size_t k = 0; k < width; ++k)
    for (std::size_t i = 0; i < count; ++i) out[i * width + k] = bytes[k * count + i];
  return out;
}

std::string pack(const std::string& raw) {
  uLongf size = ::compressBound(static_cast<uLong>(raw.size()));
  std::string packed(size, '\0');
  constexpr int kFast = 1;
  const int status =
      ::compress2(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(raw.data()),
                  static_cast<uLong>(raw.size()), kFast);
  if (status != Z_OK) throw std::bad_alloc();
  packed.resize(size);
  return packed;
}

std::string unpack(std::string_view packed, std::size_t raw_size) {
  constexpr std::size_t kMostGain = 1100;  // deflate packs 1032 to 1 at most: larger promises are lies
  require(raw_size <= kMaxFrameBytes && raw_size / kMostGain <= packed.size(),
          "a frame of {} bytes in {} packed ones cannot be.", raw_size, packed.size());
  std::string raw(raw_size, '\0');
  uLongf size = raw_size;
  const int status =
      ::uncompress(reinterpret_cast<Bytef*>(raw.data()), &size, reinterpret_cast<const Bytef*>(packed.data()),
                   static_cast<uLong>(packed.size()));
  require(status == Z_OK && size == raw_size, "a frame cannot be unpacked.");
  return raw;
}

// The numbers of one channel of a frame that was read; real ones of either size.
class ColumnReader {
 public:
  ColumnReader(const ChannelInfo* channel, const std::string* bytes)
      : channel_(channel),
        width_(channel ? bytes_of(channel->type) : 1),
        bytes_(bytes ? std::string_view(*bytes) : std::string_view()) {}

  [[nodiscard]] std::size_t size() const { return bytes_.size() / width_; }
  [[nodiscard]] double real(std::size_t i) const {
    return width_ == 4 ? static_cast<double>(at<float>(i)) : at<double>(i);
  }
  template <class T>
  [[nodiscard]] T at(std::size_t i) const {
    T value;
    std::memcpy(&value, bytes_.data() + i * sizeof value, sizeof value);
    return value;
  }
  [[nodiscard]] Eigen::Vector3d vector(std::size_t i) const {
    return {real(3 * i), real(3 * i + 1), real(3 * i + 2)};
  }
  [[nodiscard]] Eigen::VectorXd all() const {
    Eigen::VectorXd values(static_cast<Eigen::Index>(size()));
    for (std::size_t i = 0; i < size(); ++i) values[static_cast<Eigen::Index>(i)] = real(i);
    return values;
  }
  // by the names that the file gives the numbers: versions may know more or fewer of them
  template <std::size_t N>
  void named(const std::array<const char*, N>& names, std::array<double, N>& out) const {
    out.fill(std::numeric_limits<double>::quiet_NaN());
    if (!channel_) return;
    for (std::size_t i = 0; i < std::min(size(), channel_->fields.size()); ++i)
      for (std::size_t k = 0; k < N; ++k)
        if (channel_->fields[i] == names[k]) out[k] = real(i);
  }

 private:
  const ChannelInfo* channel_;
  std::size_t width_;
  std::string_view bytes_;
};

}  // namespace

std::string FrameEncoder::encode(const RecordedFrame& frame, bool is_key, std::size_t& raw_size) {
  std::string raw;
  ByteWriter out(raw);
  FrameColumns columns;
  for (const ChannelInfo& channel : recording_channels(precision_)) {
    std::string& bytes = columns[channel.id];
    fill_column(frame, channel, bytes);
    const std::size_t width = bytes_of(channel.type);
    std::string compared = bytes;
    if (!is_key) compare(&previous_[channel.id], compared);
    out.put(channel.id);
    out.put(static_cast<std::uint16_t>(width));
    out.put(static_cast<std::uint32_t>(bytes.size()));
    out.put_bytes(by_place(compared, width));
  }
  columns[recording_channels(precision_).back().id].clear();  // no snapshot is compared with the one before
  previous_ = std::move(columns);
  raw_size = raw.size();
  return pack(raw);
}

FrameDecoder::FrameDecoder(const std::vector<ChannelInfo>& channels) {
  for (const ChannelInfo& ours : recording_channels(Precision::kDouble))
    for (const ChannelInfo& channel : channels)
      if (channel.name == ours.name) {
        const bool is_float = ours.type == "f8" && channel.type == "f4";
        require((channel.type == ours.type || is_float) && channel.width == ours.width,
                "channel \"{}\" has type {} and width {}, must have {} and {}.", channel.name, channel.type,
                channel.width, ours.type, ours.width);
        known_[channel.id] = channel;
      }
}

RecordedFrame FrameDecoder::decode(std::string_view packed, std::size_t raw_size, bool is_key) {
  const std::string raw = unpack(packed, raw_size);
  ByteReader in(raw);
  FrameColumns columns;
  while (in.left() > 0) {
    const auto id = in.get<std::uint16_t>();
    const auto width = in.get<std::uint16_t>();
    const auto size = in.get<std::uint32_t>();
    const std::string_view bytes = in.get_bytes(size);
    const auto known = known_.find(id);
    if (known == known_.end()) continue;  // of a version that has more channels
    const ChannelInfo& channel = known->second;
    require(width == bytes_of(channel.type) && size % (width * static_cast<unsigned>(channel.width)) == 0,
            "channel \"{}\" has {} bytes of {} each, which is no whole number of items.", channel.name, size,
            width);
    std::string& column = columns[id] = by_number(bytes, width);
    const auto before = previous_.find(id);
    if (!is_key && before != previous_.end()) compare(&before->second, column);
  }
  previous_ = std::move(columns);
  RecordedFrame frame = read_columns();
  for (const auto& [id, channel] : known_)
    if (channel.name == "snapshot") previous_[id].clear();
  return frame;
}

RecordedFrame FrameDecoder::read_columns() const {
  const auto column = [&](std::string_view name) {
    for (const auto& [id, channel] : known_)
      if (channel.name == name) {
        const auto found = previous_.find(id);
        return ColumnReader(&channel, found == previous_.end() ? nullptr : &found->second);
      }
    return ColumnReader(nullptr, nullptr);
  };
  const auto one = [&](std::string_view name) {
    const ColumnReader numbers = column(name);
    require(numbers.size() == 1, "a frame has {} values of \"{}\", must have one.", numbers.size(), name);
    return numbers;
  };
  RecordedFrame frame;
  frame.t = one("time").real(0);
  frame.step = one("step").at<std::int64_t>(0);
  frame.h = one("step_length").real(0);
  frame.hash = one("hash").at<std::uint64_t>(0);
  frame.q = column("q").all();
  frame.v = column("v").all();
  const Eigen::VectorXd motions = column("motion_force").all();
  frame.motion_forces.assign(motions.begin(), motions.end());
  column("certificate").named(kCertificateFields, frame.certificate);
  column("energy").named(kEnergyFields, frame.energy);
  const ColumnReader snapshot = column("snapshot");
  for (std::size_t i = 0; i < snapshot.size(); ++i) frame.snapshot += snapshot.at<char>(i);

  const ColumnReader bodies = column("contact.bodies"), keys = column("contact.key"),
                     modes = column("contact.mode"), points = column("contact.point"),
                     normals = column("contact.normal"), gaps = column("contact.gap"),
                     forces = column("contact.force"), velocities = column("contact.velocity"),
                     mus = column("contact.mu");
  frame.contacts.resize(modes.size());
  for (const auto& [numbers, width] :
       std::initializer_list<std::pair<const ColumnReader&, std::size_t>>{{bodies, 2},
                                                                          {keys, 1},
                                                                          {points, 3},
                                                                          {normals, 3},
                                                                          {gaps, 1},
                                                                          {forces, 3},
                                                                          {velocities, 3},
                                                                          {mus, 1}})
    require(numbers.size() == width * modes.size(),
            "a frame has {} contacts and {} numbers of a channel of {} each.", modes.size(), numbers.size(),
            width);
  for (std::size_t i = 0; i < modes.size(); ++i) {
    ContactReport& report = frame.contacts[i].report;
    require(modes.at<std::uint8_t>(i) <= 2, "contact mode {}, must be 0, 1 or 2.", modes.at<std::uint8_t>(i));
    report.mode = static_cast<ContactMode>(modes.at<std::uint8_t>(i));
    report.a = bodies.at<std::int32_t>(2 * i);
    report.b = bodies.at<std::int32_t>(2 * i + 1);
    frame.contacts[i].key = keys.at<std::uint64_t>(i);
    report.point = points.vector(i);
    report.normal = normals.vector(i);
    report.gap = gaps.real(i);
    report.force = forces.vector(i);
    report.velocity = velocities.vector(i);
    report.mu = mus.real(i);
  }
  return frame;
}

}  // namespace rigor
