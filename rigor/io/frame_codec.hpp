#pragma once

#include <string>
#include <string_view>

#include "rigor/io/number_codec.hpp"
#include "rigor/io/recording.hpp"

/// Frames as bytes and back.
///
/// The numbers of a channel lie together, and are written as differences from those of the frame before
/// (number_codec.hpp). Contacts come and go: `contact.key` says which contact of the frame before each one
/// was, and the other channels of contacts follow it. A key frame expects nothing. A channel is
///
///     id · how many numbers · bytes · the bytes        (the three as in LEB128, 7 bits in a byte),
///
/// and one without numbers is left out.
namespace rigor {

inline constexpr int kKeyFrameEvery = 128;
inline constexpr std::size_t kMaxFrameBytes = 256u << 20;  // also of its numbers, 8 bytes each

/// What the next frame is compared with: for every channel its numbers as words, and how they have been
/// changing.
struct FrameMemory {
  struct Column {
    std::vector<std::uint64_t> words;
    std::vector<std::uint8_t> k;  // of Rice's code
  };
  std::vector<Column> columns;  // in the order of recording_channels()
};

/// How the numbers of a channel are written; ChannelInfo::type has the names.
enum class NumberType {
  kF8,    // double
  kF4,    // float; below 1e-12 it is 0
  kF3,    // float with 15 bits behind the point, 4 digits; alike
  kI8,    // integers of 8 and 4 bytes
  kI4,    //
  kU8,    // a hash
  kU1,    // a byte
  kKey,   // what tells an item from others, and finds it in the frame before
  kBytes  // bytes that are not packed
};
/// Throws InvalidInput where the name is of none.
[[nodiscard]] NumberType read_number_type(std::string_view name);

class FrameEncoder {
 public:
  explicit FrameEncoder(Precision precision);

  /// Packed bytes, until the next call.
  [[nodiscard]] std::string_view encode(const RecordedFrame& frame, bool is_key);

  /// Goes on after a frame that was read.
  void set_previous(FrameMemory memory);

 private:
  using Fill = void (*)(const RecordedFrame&, class WordWriter&);
  struct Channel {
    std::uint16_t id;
    NumberType type;
    int width;
    bool is_of_contact;
    Fill fill;
  };
  void put_keys(const FrameMemory::Column& previous, const FrameMemory::Column& now, BitWriter& out);

  std::vector<Channel> channels_;
  FrameMemory previous_, now_;
  std::vector<int> matches_;                         // of the contacts, in the frame before; −1: new
  std::vector<std::pair<std::uint64_t, int>> keys_;  // of the frame before, sorted
  std::vector<std::uint64_t> expected_, symbols_, nothing_;
  std::vector<std::uint8_t> no_k_;
  std::string packed_, bits_;
};

class FrameDecoder {
 public:
  /// Throws InvalidInput where a channel that we know has another type or width than we can read.
  explicit FrameDecoder(const std::vector<ChannelInfo>& channels);

  /// A frame may have so many numbers: no more than the file has room for. kMaxFrameBytes of them where nobody says.
  void set_room(std::size_t numbers) { room_ = numbers; }

  /// Throws InvalidInput where the bytes are no frame.
  [[nodiscard]] RecordedFrame decode(std::string_view packed, bool is_key);

  [[nodiscard]] const FrameMemory& previous() const { return previous_; }

 private:
  struct Channel {
    ChannelInfo info;  // of the file
    NumberType type{NumberType::kF8};
    bool is_known{false};
  };
  void get_keys(const FrameMemory::Column& previous, FrameMemory::Column& now, BitReader& in);
  [[nodiscard]] RecordedFrame read_columns() const;

  std::vector<Channel> channels_;  // in the order of recording_channels()
  FrameMemory previous_;
  std::vector<int> matches_;
  std::string snapshot_;
  std::size_t room_{kMaxFrameBytes / sizeof(std::uint64_t)};
};

}  // namespace rigor
