// libFuzzer target for recordings. Checksums stop almost every input at the door, so the bytes are tried at
// each door: as a file, as a header, as the content of a frame, and as a snapshot. Whatever they
// are, reading ends with a frame or with InvalidInput.
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
      (void)decoder.decode(bytes, true);
      (void)decoder.decode(bytes, false);
    });
  attempt([&] { (void)rigor::read_snapshot(bytes); });
  return 0;
}
