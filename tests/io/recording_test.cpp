// Recordings: recorder.cpp, recording.cpp, frame_codec.cpp, recording_file.cpp, append_file.cpp,
// state_bytes.cpp, recording_table.cpp, npz.cpp. What is read is what was written, whole frames survive every
// accident, and every damage is noticed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <cerrno>
#include <cmath>
#include <sstream>

#include "rigor/base/diagnostic.hpp"
#include "rigor/io/byte_stream.hpp"
#include "rigor/io/npz.hpp"
#include "rigor/io/recorder.hpp"
#include "rigor/io/recording_file.hpp"
#include "rigor/io/scene_reader.hpp"
#include "rigor/io/state_bytes.hpp"
#include "rigor/math/random.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/sanitized.hpp"

namespace rigor {
namespace {

using testing::HasSubstr;
using testing_support::read_file;
using testing_support::TemporaryFolder;

Scene load(const std::string& name, const std::vector<std::string>& set) {
  SceneReadOptions options;
  options.set = set;
  return read_scene(std::string(RIGOR_SOURCE) + "/scenes/" + name + ".json", options);
}

// Every frame of a run, as its Recorder saw them.
Recording record(const Scene& scene, double every, double checkpoint) {
  Simulation simulation(scene);
  Recording recording;
  recording.header = make_recording_header(scene, simulation, every, checkpoint);
  Recorder recorder(simulation, recording.header.every, checkpoint);
  recording.frames.push_back(recorder.make_frame());
  while (!simulation.is_finished()) {
    const StepReport report = simulation.step();
    EXPECT_EQ(report.status, StepStatus::kSolved) << report.message;
    if (recorder.note(report)) recording.frames.push_back(recorder.make_frame());
  }
  recording.is_finished = true;
  return recording;
}

void write(const std::filesystem::path& path, const Recording& recording, AppendFile::Write write = {}) {
  RecordingWriter writer(path, recording.header, std::move(write));
  for (const RecordedFrame& frame : recording.frames) writer.append(frame);
  writer.finish();
}

// A cube that slides on four corners: contacts in every frame.
const Recording& box() {
  static const Recording kBox = record(load("peiret-box", {"run.until=0.05"}), 0.01, 0.02);
  return kBox;
}

void expect_same(const RecordedFrame& a, const RecordedFrame& b) {
  EXPECT_EQ(a.t, b.t);
  EXPECT_EQ(a.step, b.step);
  EXPECT_EQ(a.h, b.h);
  EXPECT_EQ(a.hash, b.hash);
  EXPECT_EQ(a.q, b.q);
  EXPECT_EQ(a.v, b.v);
  EXPECT_EQ(a.motion_forces, b.motion_forces);
  EXPECT_EQ(a.certificate, b.certificate);
  EXPECT_EQ(a.energy, b.energy);
  EXPECT_EQ(a.snapshot, b.snapshot);
  ASSERT_EQ(a.contacts.size(), b.contacts.size());
  for (std::size_t i = 0; i < a.contacts.size(); ++i) {
    const ContactReport &one = a.contacts[i].report, &other = b.contacts[i].report;
    EXPECT_EQ(a.contacts[i].key, b.contacts[i].key);
    EXPECT_EQ(one.a, other.a);
    EXPECT_EQ(one.b, other.b);
    EXPECT_EQ(one.mode, other.mode);
    EXPECT_EQ(one.point, other.point);
    EXPECT_EQ(one.normal, other.normal);
    EXPECT_EQ(one.gap, other.gap);
    EXPECT_EQ(one.force, other.force);
    EXPECT_EQ(one.velocity, other.velocity);
    EXPECT_EQ(one.mu, other.mu);
  }
}

TEST(Recording, WhatIsReadIsWhatWasWritten) {
  const TemporaryFolder folder;
  for (const Recording& written : {box(), record(load("four-bar", {"run.until=0.1"}), 0.0, 0.0)}) {
    write(folder.path() / "a.rec", written);
    const RecordingContent read = read_recording(folder.path() / "a.rec");
    EXPECT_EQ(read.damage, "");
    EXPECT_TRUE(read.recording.is_finished);
    EXPECT_EQ(read.recording.header.scene, written.header.scene);
    EXPECT_EQ(read.recording.header.every, written.header.every);
    ASSERT_EQ(read.recording.frames.size(), written.frames.size());
    for (std::size_t i = 0; i < written.frames.size(); ++i)
      expect_same(read.recording.frames[i], written.frames[i]);
  }
}

// The frames are at multiples of `every`, the first at 0 and the last at the end; a snapshot every 0.02 s.
TEST(Recording, FramesStandAtTheirTimes) {
  ASSERT_EQ(box().frames.size(), 6u);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_NEAR(box().frames[i].t, 0.01 * static_cast<double>(i), 1e-12);
    EXPECT_EQ(box().frames[i].snapshot.empty(), i != 2 && i != 4) << i;
    EXPECT_EQ(box().frames[i].contacts.size(), i == 0 ? 0u : 4u);
  }
  // weight of 1 kg on the corners, by Newton: the cube does not move up or down
  double load = 0.0;
  for (const RecordedContact& contact : box().frames[3].contacts) load += contact.report.force.z();
  EXPECT_NEAR(load, 9.81, 1e-3);
}

TEST(Recording, SinglePrecisionKeepsItsDigits) {
  const TemporaryFolder folder;
  Recording compact = box();
  compact.header.precision = Precision::kSingle;
  write(folder.path() / "a.rec", compact);
  const Recording read = read_recording(folder.path() / "a.rec").recording;
  ASSERT_EQ(read.frames.size(), box().frames.size());
  for (std::size_t f = 0; f < read.frames.size(); ++f) {
    const RecordedFrame &now = read.frames[f], &exact = box().frames[f];
    EXPECT_EQ(now.t, exact.t);
    EXPECT_EQ(now.certificate, exact.certificate);
    EXPECT_EQ(now.snapshot, exact.snapshot);
    for (Eigen::Index i = 0; i < exact.q.size(); ++i)
      EXPECT_NEAR(now.q[i], exact.q[i],
                  6e-8 * std::abs(exact.q[i]) + 1e-12);  // half a unit of a float's last place
    for (std::size_t i = 0; i < exact.contacts.size(); ++i)
      for (int k = 0; k < 3; ++k)
        EXPECT_NEAR(now.contacts[i].report.force[k], exact.contacts[i].report.force[k],
                    std::ldexp(std::abs(exact.contacts[i].report.force[k]), -16) + 1e-12);
  }
}

TEST(Recording, GoesOnFromASnapshotBitForBit) {
  const Scene scene = load("peiret-box", {"run.until=0.05"});
  const Snapshot snapshot = read_snapshot(box().frames[2].snapshot);
  Simulation simulation(scene);
  simulation.restart(snapshot.state, snapshot.totals);
  ASSERT_TRUE(simulation.run().is_taken());
  EXPECT_EQ(hash_state(simulation.state()), box().frames.back().hash);
  EXPECT_EQ(to_bytes(Snapshot{simulation.state(), simulation.totals()}).size(),
            box().frames[2].snapshot.size());
  Simulation whole(scene);
  ASSERT_TRUE(whole.run().is_taken());
  EXPECT_EQ(to_bytes(Snapshot{simulation.state(), simulation.totals()}),
            to_bytes(Snapshot{whole.state(), whole.totals()}));
}

TEST(Recording, OneBitOfTheStateChangesTheHash) {
  Simulation simulation(load("peiret-box", {}));
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(simulation.step().is_taken());
  State state = simulation.state();
  const std::uint64_t hash = hash_state(state);
  state.q[0] = std::nextafter(state.q[0], 1.0);
  EXPECT_NE(hash_state(state), hash);
  state = simulation.state();
  ASSERT_FALSE(state.contacts.empty());
  state.contacts[0].is_closed = !state.contacts[0].is_closed;
  EXPECT_NE(hash_state(state), hash);
}

TEST(Recording, SurvivesShortWritesAndInterruptions) {
  const TemporaryFolder folder;
  write(folder.path() / "whole.rec", box());
  Random random(1);
  int interruptions = 0;
  write(folder.path() / "short.rec", box(), [&](int fd, const void* bytes, std::size_t count) -> ssize_t {
    if (random.uniform(0.0, 1.0) < 0.3) {
      ++interruptions;
      errno = EINTR;
      return -1;
    }
    return ::write(fd, bytes, std::min<std::size_t>(count, 1 + static_cast<std::size_t>(random.below(200))));
  });
  EXPECT_GT(interruptions, 10);
  EXPECT_EQ(read_file(folder.path() / "short.rec"), read_file(folder.path() / "whole.rec"));
}

// The disk is full at write number k, after it took a part: for every k.
TEST(Recording, EveryWriteFailingInTurnLeavesTheEarlierFrames) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "a.rec";
  for (int failing = 0;; ++failing) {
    int calls = 0;
    bool has_failed = false;
    const auto full_disk = [&](int fd, const void* bytes, std::size_t count) -> ssize_t {
      if (calls++ < failing) return ::write(fd, bytes, std::min<std::size_t>(count, 400));
      if (calls == failing + 1) return ::write(fd, bytes, count / 2 + 1);
      errno = ENOSPC;
      return -1;
    };
    std::filesystem::remove(path);
    std::size_t appended = 0;
    try {
      RecordingWriter writer(path, box().header, full_disk);
      for (const RecordedFrame& frame : box().frames) writer.append(frame), writer.flush(), ++appended;
      writer.finish();
    } catch (const std::runtime_error& error) {
      has_failed = true;
      EXPECT_THAT(error.what(), HasSubstr(path.string() + ": cannot be written (No space left on device)."));
    }
    if (!has_failed) break;
    if (!std::filesystem::exists(path)) {
      EXPECT_EQ(appended, 0u);  // not even the header
      EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
      continue;
    }
    const RecordingContent read = read_recording(path);
    EXPECT_EQ(read.damage, "");
    EXPECT_FALSE(read.recording.is_finished);
    ASSERT_EQ(read.recording.frames.size(), appended);
    for (std::size_t i = 0; i < appended; ++i) expect_same(read.recording.frames[i], box().frames[i]);
    ASSERT_LT(failing, 10000);
  }
  EXPECT_TRUE(read_recording(path).recording.is_finished);
}

// Frames that go to the file together: those that are whole stay, and the message counts them.
TEST(Recording, AFullDiskKeepsTheWholeFramesOfAWrite) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "a.rec";
  write(path, box());
  const std::size_t whole = read_file(path).size(), header = write_recording_header(box().header).size();
  std::size_t most = 0;
  for (std::size_t room = header; room < whole; room += 37) {
    std::size_t used = 0;
    const auto small_disk = [&](int fd, const void* bytes, std::size_t count) -> ssize_t {
      const std::size_t fits = std::min(count, room - used);
      used += fits;
      if (fits > 0) return ::write(fd, bytes, fits);
      errno = ENOSPC;
      return -1;
    };
    std::string message;
    try {
      RecordingWriter writer(path, box().header, small_disk);
      for (RecordedFrame frame : box().frames) {
        frame.snapshot.clear();
        writer.append(frame);
      }
      writer.finish();
    } catch (const std::runtime_error& error) {
      message = error.what();
    }
    if (message.empty()) break;  // without snapshots it is shorter
    const RecordingContent read = read_recording(path);
    EXPECT_EQ(read.damage, "");
    most = std::max(most, read.recording.frames.size());
    EXPECT_THAT(message, HasSubstr(fmt::format("The {} before it are intact.",
                                               count_text(read.recording.frames.size(), "frame"))));
    for (std::size_t i = 0; i < read.recording.frames.size(); ++i)
      EXPECT_EQ(read.recording.frames[i].hash, box().frames[i].hash);
  }
  EXPECT_GE(most, 5u);
}

TEST(Recording, TwoWritersOfOneFileAreRefused) {
  const TemporaryFolder folder;
  const RecordingWriter writer(folder.path() / "a.rec", box().header);
  try {
    const RecordingWriter second(folder.path() / "a.rec", box().header);
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("a.rec: cannot be written (another process writes it)."));
  }
}

// What a reader makes of bytes.
struct Reading {
  std::string refusal, damage;
  bool is_finished{false};
  std::vector<std::uint64_t> hashes;
};
Reading read_bytes(const std::string& bytes) {
  Reading reading;
  std::istringstream in(bytes);
  try {
    RecordingReader reader(in, "run.rec");
    RecordedFrame frame;
    while (reader.next(frame)) reading.hashes.push_back(frame.hash);
    reading.damage = reader.damage();
    reading.is_finished = reader.is_finished();
  } catch (const InvalidDocument& error) {
    reading.refusal = error.what();
  }
  return reading;
}

std::string damage(std::string bytes, Random& random) {
  const auto place = [&](std::size_t size) {
    return static_cast<std::size_t>(random.below(static_cast<int>(size)));
  };
  const std::size_t at = place(bytes.size()), length = std::min(1 + place(100), bytes.size() - at);
  switch (random.below(6)) {
    case 0:
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << random.below(8)));
      break;
    case 1:
      bytes.resize(at);
      break;
    case 2:
      bytes.erase(at, length);
      break;
    case 3:
      bytes.insert(at, bytes.substr(at, length));
      break;
    case 4:
      bytes.replace(at, length, length, '\0');
      break;
    default:
      for (std::size_t i = 0; i < length; ++i) bytes[at + i] = static_cast<char>(random.below(256));
  }
  return bytes;
}

TEST(Recording, NoDamageGoesUnnoticed) {
  const TemporaryFolder folder;
  write(folder.path() / "a.rec", box());
  const std::string good = read_file(folder.path() / "a.rec");
  const Reading sound = read_bytes(good);
  ASSERT_TRUE(sound.is_finished);
  Random random(7);
  for (int i = 0; i < (kSanitized ? 2000 : 20000); ++i) {
    const std::string bad = damage(good, random);
    if (bad == good) continue;
    const Reading reading = read_bytes(bad);
    EXPECT_TRUE(!reading.refusal.empty() || !reading.damage.empty() || !reading.is_finished) << "case " << i;
    // what was given before is right
    ASSERT_LE(reading.hashes.size(), sound.hashes.size());
    EXPECT_TRUE(std::equal(reading.hashes.begin(), reading.hashes.end(), sound.hashes.begin()))
        << "case " << i;
  }
}

TEST(Recording, EveryKindOfDamageHasItsSentence) {
  const TemporaryFolder folder;
  write(folder.path() / "a.rec", box());
  const std::string good = read_file(folder.path() / "a.rec");
  EXPECT_EQ(read_bytes("").refusal, "run.rec: is not a recording. Give a file that 'rigor run -o' wrote.");
  EXPECT_EQ(read_bytes("PNG, or so").refusal,
            "run.rec: is not a recording. Give a file that 'rigor run -o' wrote.");
  EXPECT_EQ(read_bytes(good.substr(0, 50)).refusal,
            "run.rec: is cut off within the header of a recording. Its frames cannot be read without it; run "
            "the scene "
            "again.");
  std::string newer = good;
  newer[8] = 6;
  EXPECT_EQ(
      read_bytes(newer).refusal,
      "run.rec: is a recording of version 6, this Rigor reads version 5. Use the newer Rigor that wrote it.");
  std::string older = good;
  older[8] = 1;
  EXPECT_EQ(
      read_bytes(older).refusal,
      "run.rec: is a recording of version 1, this Rigor reads version 5. Run the scene again, or use the "
      "Rigor that wrote it.");
  std::string header = good;
  header[40] = static_cast<char>(header[40] ^ 1);
  EXPECT_THAT(read_bytes(header).refusal, HasSubstr("run.rec: has a damaged header."));
  EXPECT_EQ(read_bytes(good.substr(0, good.size() - 30)).damage,
            "run.rec: the file ends within frame 5. The 5 frames before it are sound.");
  std::string middle = good;
  middle[good.size() - 60] = static_cast<char>(middle[good.size() - 60] ^ 1);
  EXPECT_EQ(read_bytes(middle).damage, "run.rec: frame 5 is damaged. The 5 frames before it are sound.");
  EXPECT_THAT(read_bytes(good + "x").damage, HasSubstr("more follows behind the end of the run."));
}

// A later version may add channels: ours are found all the same.
TEST(Recording, UnknownChannelsAreSkipped) {
  std::vector<ChannelInfo> channels = recording_channels(Precision::kDouble);
  channels.push_back({77, "temperature", "f8", 1, {}, "K"});
  FrameEncoder encoder(Precision::kDouble);
  std::string packed(encoder.encode(box().frames[1], true));
  packed += std::string("\x4D\x01\x02??", 5);  // one number of channel 77, in two bytes
  FrameDecoder decoder(channels);
  expect_same(decoder.decode(packed, true), box().frames[1]);

  std::vector<ChannelInfo> foreign = recording_channels(Precision::kDouble);
  foreign[4].type = "i4";
  EXPECT_THROW(FrameDecoder{foreign}, InvalidInput);
}

TEST(Recording, ResumesBehindTheLastSnapshot) {
  const TemporaryFolder folder;
  write(folder.path() / "a.rec", box());
  const std::string good = read_file(folder.path() / "a.rec");
  folder.write("cut.rec", good.substr(0, good.size() - 40));
  const ResumePoint point = find_resume_point(folder.path() / "cut.rec");
  EXPECT_FALSE(point.is_finished);
  EXPECT_EQ(point.position.frames, 5u);
  EXPECT_EQ(point.snapshot, box().frames[4].snapshot);
  {
    RecordingWriter writer(folder.path() / "cut.rec", point.header, point.position);
    writer.append(box().frames[5]);
    writer.finish();
  }
  EXPECT_EQ(read_file(folder.path() / "cut.rec"), good);
  EXPECT_TRUE(find_resume_point(folder.path() / "a.rec").is_finished);
}

TEST(Recording, IsResumedOnlyByAVersionWithTheSameChannels) {
  const TemporaryFolder folder;
  write(folder.path() / "a.rec", box());
  std::string bytes = read_file(folder.path() / "a.rec");
  const std::size_t at = bytes.find("contact.mu");
  bytes.replace(at, 10, "contact.nu");  // another channel, under a sum that is right
  const std::size_t end = write_recording_header(box().header).size();
  const auto sum = static_cast<std::uint32_t>(
      ::crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), end - sizeof(std::uint32_t)));
  std::memcpy(bytes.data() + end - sizeof sum, &sum, sizeof sum);
  folder.write("b.rec", bytes);
  try {
    (void)find_resume_point(folder.path() / "b.rec");
    FAIL();
  } catch (const InvalidDocument& error) {
    EXPECT_THAT(error.what(), HasSubstr("b.rec: was written by rigor , whose frames have other channels than "
                                        "ours. Resume it with that one."));
  }
}

// A frame that claims millions of numbers which "are as expected", a 32nd of a bit each.
TEST(Recording, AFrameMayNotAskForMoreThanTheFileHasRoomFor) {
  std::string bytes = write_recording_header(box().header);
  std::uint32_t chain = 0;
  std::memcpy(&chain, bytes.data() + bytes.size() - sizeof chain, sizeof chain);
  std::string packed("\x05\x80\x80\x80\x0E", 5);  // channel 5, q: 29 360 128 numbers, or 235 MB
  const std::size_t bits = 29'360'128 / 32 / 8;
  for (std::size_t value = bits;; value >>= 7) {
    packed += static_cast<char>(value >= 0x80 ? value | 0x80 : value);
    if (value < 0x80) break;
  }
  packed += std::string(bits, '\0');
  std::string frame;
  ByteWriter out(frame);
  out.put_bytes("FRAM");
  out.put(std::uint32_t{0});
  out.put(std::uint32_t{1});
  out.put(static_cast<std::uint32_t>(packed.size()));
  out.put_bytes(packed);
  out.put(static_cast<std::uint32_t>(
      ::crc32_z(chain, reinterpret_cast<const Bytef*>(frame.data()), frame.size())));
  const Reading reading = read_bytes(bytes + frame);
  EXPECT_EQ(reading.damage,
            "run.rec: frame 0 makes no sense: 29360128 numbers in 114688 bytes, more than the file has room "
            "for. The "
            "0 frames before it are sound.");
}

// Forces of a program are in no file: a run that had some must not go on, or be judged, without them.
TEST(Recording, ARunWithElementsOfAProgramIsNotResumedWithoutThem) {
  class Push : public ForceElement {
   public:
    [[nodiscard]] std::string name() const override { return "push"; }
  };
  const TemporaryFolder folder;
  const Scene scene = load("peiret-box", {"run.until=0.05"});
  const Simulation pushed(scene, {{}, {std::make_shared<Push>()}});
  Recording own = box();
  own.header = make_recording_header(scene, pushed, 0.01, 0.02);
  write(folder.path() / "a.rec", own);
  EXPECT_TRUE(read_recording(folder.path() / "a.rec").recording.header.has_user_elements);
  EXPECT_FALSE(box().header.has_user_elements);
  const std::string path = (folder.path() / "a.rec").string();
  try {
    (void)find_resume_point(path);
    FAIL();
  } catch (const InvalidDocument& error) {
    EXPECT_EQ(error.what(),
              path +
                  ": forces or constraints written in C++ took part in this run, and no file holds "
                  "them. Run it again, or go on with it, in the program that made it.");
  }
  EXPECT_NO_THROW((void)find_resume_point(path, /*has_user_elements=*/true));
}

TEST(RecordingTable, HasTheBodiesWhereTheyWere) {
  const Model model = make_recorded_model(box(), "a.rec");
  const std::vector<NamedArray> arrays = make_arrays(box(), model);
  const auto find = [&](const std::string& name) -> const NamedArray& {
    for (const NamedArray& array : arrays)
      if (array.name == name) return array;
    throw std::out_of_range(name);
  };
  const NamedArray& position = find("body_position");
  EXPECT_THAT(position.shape, testing::ElementsAre(6, 1, 3));
  const auto& values = std::get<std::vector<double>>(position.values);
  EXPECT_EQ(values[3 * 5 + 1], box().frames[5].q[1]);
  // mu = 1: y = 5 t − g t²/2 to first order in the step, spin aside
  EXPECT_NEAR(values[3 * 5 + 1], 5 * 0.05 - 0.5 * 9.81 * 0.05 * 0.05, 5e-3);
  EXPECT_THAT(find("contact_force").shape, testing::ElementsAre(20, 3));

  const std::string csv = to_csv(box(), model);
  EXPECT_THAT(csv, testing::StartsWith("time,step,cube.x,cube.y,cube.z,cube.qw"));
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 7);
  EXPECT_THAT(contacts_to_csv(box(), model), HasSubstr(",cube,world,"));
  EXPECT_EQ(csv_field("a,\"b\""), "\"a,\"\"b\"\"\"");

  Recording wrong = box();
  wrong.frames[1].q.resize(3);
  EXPECT_THROW((void)make_recorded_model(wrong, "a.rec"), InvalidDocument);
}

// Against the formats' own definitions: the archive's directory at its end, and the .npy header.
TEST(Npz, IsAnArchiveOfArrays) {
  const std::string file = write_npz(
      {{"x", {2, 1}, std::vector<double>{1.5, -2.0}}, {"names", {1}, std::vector<std::string>{"é"}}});
  ByteReader end(std::string_view(file).substr(file.size() - 22));
  EXPECT_EQ(end.get<std::uint32_t>(), 0x06054b50u);
  (void)end.get<std::uint32_t>();
  EXPECT_EQ(end.get<std::uint16_t>(), 2);
  const std::size_t npy = file.find("\x93NUMPY");
  EXPECT_EQ(npy, 30u + 5u);
  EXPECT_THAT(file, HasSubstr("{'descr': '<f8', 'fortran_order': False, 'shape': (2,1,), }"));
  EXPECT_THAT(file, HasSubstr("{'descr': '<U1', 'fortran_order': False, 'shape': (1,), }"));
  double first = 0.0;
  std::memcpy(&first, file.data() + npy + 128, sizeof first);
  EXPECT_EQ(first, 1.5);
}

}  // namespace
}  // namespace rigor
