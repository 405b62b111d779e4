// libFuzzer target for recordings. Checksums stop almost every input at the door, so the bytes are tried at
// each door: as a file, as a header, as the unpacked content of a frame, and as a snapshot. Whatever they
// are, reading ends with a frame or with InvalidInput.
#include <zlib.h>

#include <sstream>

#include "rigor/io/recording_file.hpp"
#include "rigor/io/state_bytes.hpp"

namespace {

template <class Read>
void attempt(Read read) {
  try {
    read();
  } catch (const rigor::InvalidInput&) {
  }
}

std::string pack(const std::string& raw) {
  uLongf size = ::compressBound(static_cast<uLong>(raw.size()));
  std::string packed(size, '\0');
  ::compress(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(raw.data()),
             static_cast<uLong>(raw.size()));
  packed.resize(size);
  return packed;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  attempt([&] {
    std::istringstream in(bytes);
    rigor::RecordingReader reader(in, "input");
    rigor::RecordedFrame frame;
    while (reader.next(frame)) {
    }
  });
  attempt([&] {
    std::vector<rigor::ChannelInfo> channels;
    (void)rigor::read_recording_header(bytes, "input", channels);
    (void)rigor::FrameDecoder(channels);
  });
  for (const rigor::Precision precision : {rigor::Precision::kDouble, rigor::Precision::kSingle})
    attempt([&] {
      rigor::FrameDecoder decoder(rigor::recording_channels(precision));
      const std::string packed = pack(bytes);
      (void)decoder.decode(packed, size, true);
      (void)decoder.decode(packed, size, false);
    });
  attempt([&] { (void)rigor::read_snapshot(bytes); });
  return 0;
}
