#pragma once

#include <map>
#include <string>
#include <string_view>

#include "rigor/io/recording.hpp"

/// Frames as bytes and back.
///
/// The numbers of a channel lie together. To pack them well they are compared with those of the frame before
/// (exclusive or, byte by byte: what does not move becomes zeros), then ordered by the places of their bytes,
/// then deflated. Every 32nd frame is a key frame, which is not compared. A channel is
///
///     u16 id · u16 bytes per number · u32 bytes · the numbers.
namespace rigor {

inline constexpr int kKeyFrameEvery = 32;
inline constexpr std::size_t kMaxFrameBytes = 256u << 20;  // unpacked

/// The channels of a frame as they were before packing, by id; what the next frame is compared with.
using FrameColumns = std::map<std::uint16_t, std::string>;

class FrameEncoder {
 public:
  explicit FrameEncoder(Precision precision) : precision_(precision) {}

  /// Packed bytes; `raw_size` is their size unpacked.
  [[nodiscard]] std::string encode(const RecordedFrame& frame, bool is_key, std::size_t& raw_size);

  /// Goes on after a frame that was read.
  void set_previous(FrameColumns columns) { previous_ = std::move(columns); }

 private:
  Precision precision_;
  FrameColumns previous_;
};

class FrameDecoder {
 public:
  /// Throws InvalidInput where a channel that we know has another type or width than we can read.
  explicit FrameDecoder(const std::vector<ChannelInfo>& channels);

  /// Throws InvalidInput where the bytes are no frame.
  [[nodiscard]] RecordedFrame decode(std::string_view packed, std::size_t raw_size, bool is_key);

  [[nodiscard]] const FrameColumns& previous() const { return previous_; }

 private:
  [[nodiscard]] RecordedFrame read_columns() const;

  std::map<std::uint16_t, ChannelInfo> known_;
  FrameColumns previous_;
};

}  // namespace rigor
