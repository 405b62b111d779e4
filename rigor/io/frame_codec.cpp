#include "rigor/io/frame_codec.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <limits>

#include "rigor/io/byte_stream.hpp"

namespace rigor {
namespace {

int bits_of(NumberType type) {
  switch (type) {
    case NumberType::kF4:
    case NumberType::kI4:
      return 32;
    case NumberType::kF3:
      return 24;
    case NumberType::kU1:
    case NumberType::kBytes:
      return 8;
    default:
      return 64;
  }
}

bool is_real(NumberType type) {
  return type == NumberType::kF8 || type == NumberType::kF4 || type == NumberType::kF3;
}

// Words of real numbers are ordered as the numbers are: the sign turned round, and all bits of negative ones.
std::uint64_t order(std::uint64_t word, int bits) {
  const std::uint64_t sign = std::uint64_t{1} << (bits - 1);
  return (word & sign) != 0 ? ~word & (sign | (sign - 1)) : word | sign;
}

std::uint64_t restore(std::uint64_t word, int bits) {
  const std::uint64_t sign = std::uint64_t{1} << (bits - 1);
  return (word & sign) != 0 ? word & ~sign : ~word & (sign | (sign - 1));
}

std::uint64_t word_of(double value, NumberType type) {
  if (type == NumberType::kF8) return order(std::bit_cast<std::uint64_t>(value), 64);
  constexpr double kNothing = 1e-12;  // m, m/s, N: what rounding leaves where there is nothing
  auto word = std::bit_cast<std::uint32_t>(std::abs(value) < kNothing ? 0.0f : static_cast<float>(value));
  if (type == NumberType::kF4) return order(word, 32);
  constexpr std::uint32_t kInfinite = 0x7F800000;
  if ((word & kInfinite) != kInfinite) word += 0x7F + (word >> 8 & 1u);  // to the nearest, ties to even
  return order(word >> 8, 24);
}

double real_of(std::uint64_t word, NumberType type) {
  if (type == NumberType::kF8) return std::bit_cast<double>(restore(word, 64));
  const std::uint64_t bits = type == NumberType::kF4 ? restore(word, 32) : restore(word, 24) << 8;
  return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
}

// What is expected of a number of which nothing is known: zero.
std::uint64_t zero_word(NumberType type) {
  return is_real(type) ? word_of(0.0, type) : 0;
}

void put_varint(std::uint64_t value, std::string& out) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}

std::size_t get_varint(ByteReader& in) {
  std::size_t value = 0;
  for (int shift = 0; shift < 35; shift += 7) {
    const auto byte = in.get<std::uint8_t>();
    value |= static_cast<std::size_t>(byte & 0x7F) << shift;
    if (byte < 0x80) return value;
  }
  throw InvalidInput("a length of more than 35 bits.");
}

// Jumps to either side as small numbers; 0 and 1 are taken by "the next one" and "a new one".
std::uint64_t symbol_of_jump(std::int64_t jump) {
  return 2 + (static_cast<std::uint64_t>(jump) << 1 ^ static_cast<std::uint64_t>(jump >> 63));
}
std::int64_t jump_of_symbol(std::uint64_t symbol) {
  const std::uint64_t u = symbol - 2;
  return static_cast<std::int64_t>(u >> 1 ^ (0 - (u & 1)));
}

// What is expected of the numbers of a channel, and the k of each: those of the frame before, for contacts
// those of the same contact there.
void expect(const FrameMemory::Column& previous, const std::vector<int>* matches, int width, NumberType type,
            std::size_t count, std::vector<std::uint64_t>& expected, std::vector<std::uint8_t>& k) {
  const std::uint64_t zero = zero_word(type);
  if (!matches) {
    expected = previous.words;
    k = previous.k;
    expected.resize(count, zero);
    k.resize(count, 0);
    return;
  }
  expected.resize(count);
  k.resize(count);
  const auto items = static_cast<std::size_t>(width);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t item = i / items;
    const int match = item < matches->size() ? (*matches)[item] : -1;
    const std::size_t from = static_cast<std::size_t>(match) * items + i % items;
    const bool is_there = match >= 0 && from < previous.words.size();
    expected[i] = is_there ? previous.words[from] : zero;
    k[i] = is_there ? previous.k[from] : std::uint8_t{0};
  }
}

}  // namespace

// The numbers of one channel, one after the other, as words.
class WordWriter {
 public:
  WordWriter(NumberType type, std::vector<std::uint64_t>& out) : type_(type), out_(out) {}

  void real(double value) { out_.push_back(word_of(value, type_)); }
  template <class Range>
  void reals(const Range& values) {
    for (const double value : values) real(value);
  }
  void integer(std::int64_t value) {
    const auto word = static_cast<std::uint64_t>(value);
    out_.push_back(type_ == NumberType::kI4 ? word & 0xFFFFFFFFu : word);
  }

 private:
  NumberType type_;
  std::vector<std::uint64_t>& out_;
};

namespace {

using Frame = RecordedFrame;
template <class Put>
void each_contact(const Frame& frame, Put put) {
  for (const RecordedContact& contact : frame.contacts) put(contact.report);
}
using Report = const ContactReport&;

// How the channels are filled, by their names.
struct NamedFill {
  const char* name;
  void (*fill)(const Frame&, WordWriter&);
};
constexpr NamedFill kFills[] = {
    {"time", [](const Frame& f, WordWriter& out) { out.real(f.t); }},
    {"step", [](const Frame& f, WordWriter& out) { out.integer(f.step); }},
    {"step_length", [](const Frame& f, WordWriter& out) { out.real(f.h); }},
    {"hash", [](const Frame& f, WordWriter& out) { out.integer(static_cast<std::int64_t>(f.hash)); }},
    {"q", [](const Frame& f, WordWriter& out) { out.reals(f.q); }},
    {"v", [](const Frame& f, WordWriter& out) { out.reals(f.v); }},
    {"motion_force", [](const Frame& f, WordWriter& out) { out.reals(f.motion_forces); }},
    {"certificate", [](const Frame& f, WordWriter& out) { out.reals(f.certificate); }},
    {"energy", [](const Frame& f, WordWriter& out) { out.reals(f.energy); }},
    {"contact.key",
     [](const Frame& f, WordWriter& out) {
       for (const RecordedContact& contact : f.contacts) out.integer(static_cast<std::int64_t>(contact.key));
     }},
    {"contact.bodies",
     [](const Frame& f, WordWriter& out) {
       each_contact(f, [&](Report contact) { out.integer(contact.a), out.integer(contact.b); });
     }},
    {"contact.mode",
     [](const Frame& f, WordWriter& out) {
       each_contact(f, [&](Report contact) { out.integer(static_cast<int>(contact.mode)); });
     }},
    {"contact.point",
     [](const Frame& f, WordWriter& out) {
       each_contact(f, [&](Report contact) { out.reals(contact.point); });
     }},
    {"contact.normal",
     [](const Frame& f, WordWriter& out) {
       each_contact(f, [&](Report contact) { out.reals(contact.normal); });
     }},
    {"contact.gap", [](const Frame& f,
                       WordWriter& out) { each_contact(f, [&](Report contact) { out.real(contact.gap); }); }},
    {"contact.force",
     [](const Frame& f, WordWriter& out) {
       each_contact(f, [&](Report contact) { out.reals(contact.force); });
     }},
    {"contact.velocity",
     [](const Frame& f, WordWriter& out) {
       each_contact(f, [&](Report contact) { out.reals(contact.velocity); });
     }},
    {"contact.mu",
     [](const Frame& f, WordWriter& out) { each_contact(f, [&](Report contact) { out.real(contact.mu); }); }},
    {"snapshot", nullptr},  // as it is
};

// The numbers of one channel of a frame that was read.
class WordReader {
 public:
  WordReader(const ChannelInfo* info, NumberType type, const std::vector<std::uint64_t>* words)
      : info_(info), type_(type), words_(words) {}

  [[nodiscard]] std::size_t size() const { return words_ ? words_->size() : 0; }
  [[nodiscard]] double real(std::size_t i) const { return real_of((*words_)[i], type_); }
  [[nodiscard]] std::uint64_t word(std::size_t i) const { return (*words_)[i]; }
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
    if (!info_) return;
    for (std::size_t i = 0; i < std::min(size(), info_->fields.size()); ++i)
      for (std::size_t k = 0; k < N; ++k)
        if (info_->fields[i] == names[k]) out[k] = real(i);
  }

 private:
  const ChannelInfo* info_;
  NumberType type_;
  const std::vector<std::uint64_t>* words_;
};

}  // namespace

NumberType read_number_type(std::string_view name) {
  constexpr std::string_view kNames[] = {"f8", "f4", "f3", "i8", "i4", "u8", "u1", "key", "bytes"};
  const auto found = std::find(std::begin(kNames), std::end(kNames), name);
  require(found != std::end(kNames), "type \"{}\" of numbers is not known.", name);
  return static_cast<NumberType>(found - std::begin(kNames));
}

FrameEncoder::FrameEncoder(Precision precision) {
  for (const ChannelInfo& info : recording_channels(precision)) {
    const auto found = std::find_if(std::begin(kFills), std::end(kFills),
                                    [&](const NamedFill& one) { return info.name == one.name; });
    assert(found != std::end(kFills));
    channels_.push_back(
        {info.id, read_number_type(info.type), info.width, info.name.starts_with("contact."), found->fill});
  }
  previous_.columns.resize(channels_.size());
  now_.columns.resize(channels_.size());
}

void FrameEncoder::set_previous(FrameMemory memory) {
  assert(memory.columns.size() == channels_.size());
  previous_ = std::move(memory);
}

// Symbols first, one per item (0 the one that follows in the frame before, 1 a new one, else a jump), then
// the keys of the new ones.
void FrameEncoder::put_keys(const FrameMemory::Column& previous, const FrameMemory::Column& now,
                            BitWriter& out) {
  const std::vector<std::uint64_t>& before = previous.words;
  matches_.clear();
  symbols_.clear();
  keys_.clear();
  std::size_t next = 0;
  for (const std::uint64_t key : now.words) {
    if (next < before.size() && before[next] == key) {
      symbols_.push_back(0);
      matches_.push_back(static_cast<int>(next++));
      continue;
    }
    if (keys_.empty()) {
      for (std::size_t i = 0; i < before.size(); ++i) keys_.emplace_back(before[i], static_cast<int>(i));
      std::sort(keys_.begin(), keys_.end());
    }
    const auto found = std::lower_bound(keys_.begin(), keys_.end(), std::pair{key, 0});
    const bool is_known = found != keys_.end() && found->first == key;
    matches_.push_back(is_known ? found->second : -1);
    symbols_.push_back(is_known ? symbol_of_jump(found->second - static_cast<std::int64_t>(next)) : 1);
    if (is_known) next = static_cast<std::size_t>(found->second) + 1;
  }
  nothing_.assign(symbols_.size(), 0);
  no_k_.assign(symbols_.size(), 0);
  put_numbers(symbols_, nothing_, no_k_, 64, out);
  for (std::size_t i = 0; i < now.words.size(); ++i)
    if (matches_[i] < 0) out.put(now.words[i], 64);
}

std::string_view FrameEncoder::encode(const RecordedFrame& frame, bool is_key) {
  packed_.clear();
  matches_.clear();
  if (is_key)
    for (FrameMemory::Column& column : previous_.columns) column.words.clear(), column.k.clear();
  for (std::size_t c = 0; c < channels_.size(); ++c) {
    const Channel& channel = channels_[c];
    FrameMemory::Column& now = now_.columns[c];
    now.words.clear();
    now.k.clear();
    bits_.clear();
    std::size_t count = frame.snapshot.size();
    if (channel.type == NumberType::kBytes) {
      bits_ = frame.snapshot;
    } else {
      WordWriter words(channel.type, now.words);
      channel.fill(frame, words);
      count = now.words.size();
      BitWriter out(bits_);
      FrameMemory::Column& previous = previous_.columns[c];
      if (channel.type == NumberType::kKey) {
        put_keys(previous, now, out);
      } else if (!channel.is_of_contact && previous.words.size() == count) {
        now.k.swap(previous.k);  // without a copy: nobody asks that frame again
        put_numbers(now.words, previous.words, now.k, bits_of(channel.type), out);
      } else {
        expect(previous, channel.is_of_contact ? &matches_ : nullptr, channel.width, channel.type, count,
               expected_, now.k);
        put_numbers(now.words, expected_, now.k, bits_of(channel.type), out);
      }
      out.finish();
    }
    if (count == 0) continue;
    put_varint(channel.id, packed_);
    put_varint(count, packed_);
    put_varint(bits_.size(), packed_);
    packed_ += bits_;
  }
  std::swap(previous_, now_);
  return packed_;
}

FrameDecoder::FrameDecoder(const std::vector<ChannelInfo>& channels) {
  for (const ChannelInfo& ours : recording_channels(Precision::kDouble)) {
    Channel& known = channels_.emplace_back();
    for (const ChannelInfo& channel : channels) {
      if (channel.name != ours.name) continue;
      const NumberType type = read_number_type(channel.type), wanted = read_number_type(ours.type);
      require((type == wanted || (is_real(type) && is_real(wanted))) && channel.width == ours.width,
              "channel \"{}\" has type {} and width {}, must have {} and {}.", channel.name, channel.type,
              channel.width, ours.type, ours.width);
      known = {channel, type, true};
    }
  }
  previous_.columns.resize(channels_.size());
}

void FrameDecoder::get_keys(const FrameMemory::Column& previous, FrameMemory::Column& now, BitReader& in) {
  const std::size_t count = now.words.size();
  const std::vector<std::uint64_t> nothing(count, 0);
  std::vector<std::uint64_t> symbols(count);
  std::vector<std::uint8_t> k(count, 0);
  get_numbers(symbols, nothing, k, 64, in);
  std::int64_t next = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (symbols[i] == 1) {
      matches_.push_back(-1);
      now.words[i] = in.get(64);
      continue;
    }
    const auto size = static_cast<std::int64_t>(previous.words.size());
    const std::int64_t jump = symbols[i] == 0 ? 0 : jump_of_symbol(symbols[i]);
    require(jump >= -next && jump < size - next,
            "item {} of a frame is said to be one that the frame before has not.", i);
    next += jump;
    matches_.push_back(static_cast<int>(next));
    now.words[i] = previous.words[static_cast<std::size_t>(next++)];
  }
}

RecordedFrame FrameDecoder::decode(std::string_view packed, bool is_key) {
  ByteReader in(packed);
  FrameMemory now;
  now.columns.resize(channels_.size());
  matches_.clear();
  snapshot_.clear();
  if (is_key) previous_.columns.assign(channels_.size(), {});
  std::size_t room = std::min(room_, kMaxFrameBytes / sizeof(std::uint64_t));
  std::vector<std::uint64_t> expected;
  while (in.left() > 0) {
    const std::size_t id = get_varint(in), count = get_varint(in);
    const std::string_view bytes = in.get_bytes(get_varint(in));
    const auto found = std::find_if(channels_.begin(), channels_.end(),
                                    [&](const Channel& one) { return one.is_known && one.info.id == id; });
    if (found == channels_.end()) continue;  // of a version that has more channels
    const Channel& channel = *found;
    const auto c = static_cast<std::size_t>(found - channels_.begin());
    FrameMemory::Column& column = now.columns[c];
    require(column.words.empty(), "channel \"{}\" is there twice.", channel.info.name);
    require(count % static_cast<std::size_t>(channel.info.width) == 0,
            "channel \"{}\" has {} numbers, which are no whole number of items.", channel.info.name, count);
    if (channel.type == NumberType::kBytes) {
      require(bytes.size() == count, "channel \"{}\" has {} bytes, must have {}.", channel.info.name,
              bytes.size(), count);
      snapshot_ = bytes;
      continue;
    }
    BitReader bits(bytes);
    require(count <= room && count <= most_numbers(bits.bits_left()),
            "{} numbers in {} bytes, more than the file has room for.", count, bytes.size());
    room -= count;
    column.words.resize(count);
    if (channel.type == NumberType::kKey) {
      get_keys(previous_.columns[c], column, bits);
      continue;
    }
    const bool is_of_contact = channel.info.name.starts_with("contact.");
    expect(previous_.columns[c], is_of_contact ? &matches_ : nullptr, channel.info.width, channel.type, count,
           expected, column.k);
    get_numbers(column.words, expected, column.k, bits_of(channel.type), bits);
  }
  previous_ = std::move(now);
  return read_columns();
}

RecordedFrame FrameDecoder::read_columns() const {
  const auto column = [&](std::string_view name) {
    for (std::size_t c = 0; c < channels_.size(); ++c)
      if (channels_[c].is_known && channels_[c].info.name == name)
        return WordReader(&channels_[c].info, channels_[c].type, &previous_.columns[c].words);
    return WordReader(nullptr, NumberType::kF8, nullptr);
  };
  const auto one = [&](std::string_view name) {
    const WordReader numbers = column(name);
    require(numbers.size() == 1, "a frame has {} values of \"{}\", must have one.", numbers.size(), name);
    return numbers;
  };
  RecordedFrame frame;
  frame.t = one("time").real(0);
  frame.step = static_cast<std::int64_t>(one("step").word(0));
  frame.h = one("step_length").real(0);
  frame.hash = one("hash").word(0);
  frame.q = column("q").all();
  frame.v = column("v").all();
  const Eigen::VectorXd motions = column("motion_force").all();
  frame.motion_forces.assign(motions.begin(), motions.end());
  column("certificate").named(kCertificateFields, frame.certificate);
  column("energy").named(kEnergyFields, frame.energy);
  frame.snapshot = snapshot_;

  const WordReader bodies = column("contact.bodies"), keys = column("contact.key"),
                   modes = column("contact.mode"), points = column("contact.point"),
                   normals = column("contact.normal"), gaps = column("contact.gap"),
                   forces = column("contact.force"), velocities = column("contact.velocity"),
                   mus = column("contact.mu");
  for (const auto& [numbers, width] :
       std::initializer_list<std::pair<const WordReader&, std::size_t>>{{bodies, 2},
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
  frame.contacts.resize(modes.size());
  for (std::size_t i = 0; i < modes.size(); ++i) {
    ContactReport& report = frame.contacts[i].report;
    require(modes.word(i) <= 2, "contact mode {}, must be 0, 1 or 2.", modes.word(i));
    report.mode = static_cast<ContactMode>(modes.word(i));
    report.a = static_cast<std::int32_t>(bodies.word(2 * i));
    report.b = static_cast<std::int32_t>(bodies.word(2 * i + 1));
    frame.contacts[i].key = keys.word(i);
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
