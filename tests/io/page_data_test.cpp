// The data of the replay page (page_data.cpp): what the page decodes is what was recorded, to its digits.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "rigor/io/page_data.hpp"
#include "rigor/io/recorder.hpp"
#include "rigor/io/recording_table.hpp"
#include "rigor/io/scene_reader.hpp"
#include "rigor/io/scene_writer.hpp"

namespace rigor {
namespace {

using testing::HasSubstr;

Recording record_scene(const std::string& scene_name, const std::vector<std::string>& set) {
  SceneReadOptions options;
  options.set = set;
  const Scene scene = read_scene(std::string(RIGOR_SOURCE) + "/scenes/" + scene_name + ".json", options);
  Simulation simulation(scene);
  Recording recording;
  recording.header = make_recording_header(scene, simulation, 0.01, 0.0);
  Recorder recorder(simulation, recording.header.every, 0.0);
  recording.frames.push_back(recorder.make_frame());
  while (!simulation.is_finished())
    if (recorder.note(simulation.step())) recording.frames.push_back(recorder.make_frame());
  recording.is_finished = true;
  return recording;
}

// An array of a chunk, decoded as the page does it: by the description alone.
std::vector<double> decode(const PageChunk& chunk, const std::string& name) {
  std::size_t offset = 0;
  for (const JsonValue& array : *chunk.arrays.if_array()) {
    const std::string type = *array.find("type")->if_string();
    std::size_t count = 1;
    for (const JsonValue& extent : *array.find("shape")->if_array())
      count *= static_cast<std::size_t>(*extent.if_number());
    const auto width = static_cast<std::size_t>(type[1] - '0');
    offset = (offset + 7) / 8 * 8;
    if (*array.find("name")->if_string() == name) {
      std::vector<double> values;
      for (std::size_t i = 0; i < count; ++i) {
        char bytes[8] = {};
        const bool is_ordered = type == "f4" || type == "i2";
        for (std::size_t k = 0; k < width; ++k)
          bytes[k] = chunk.bytes.at(offset + (is_ordered ? k * count + i : i * width + k));
        const auto read = [&](auto value) {
          std::memcpy(&value, bytes, sizeof value);
          return static_cast<double>(value);
        };
        values.push_back(type == "f8"   ? read(double{})
                         : type == "f4" ? read(float{})
                         : type == "i4" ? read(std::int32_t{})
                         : type == "i2" ? read(std::int16_t{})
                                        : read(std::uint8_t{}));
      }
      return values;
    }
    offset += count * width;
  }
  ADD_FAILURE() << name;
  return {};
}

TEST(PageData, HasBodiesContactsAndCertificatesOfEveryFrame) {
  const Recording recording = record_scene("peiret-box", {"run.until=0.1"});
  const Model model = make_recorded_model(recording, "run");
  const PageRun run = make_page_run(recording, model);
  const std::size_t n = recording.frames.size();
  ASSERT_EQ(n, 11u);
  const std::vector<double> position = decode(run.chunk, "position"),
                            rotation = decode(run.chunk, "rotation"),
                            start = decode(run.chunk, "contact.start"),
                            force = decode(run.chunk, "contact.force"),
                            residual = decode(run.chunk, "certificate.residual"),
                            time = decode(run.chunk, "time");
  ASSERT_EQ(position.size(), 2 * 3 * n);
  ASSERT_EQ(start.size(), n + 1);
  for (std::size_t f = 0; f < n; ++f) {
    const RecordedFrame& frame = recording.frames[f];
    EXPECT_EQ(time[f], frame.t);
    EXPECT_EQ(residual[f], static_cast<float>(frame.certificate[0]));
    for (std::size_t k = 0; k < 3; ++k)
      EXPECT_EQ(position[(3 + k) * n + f], static_cast<float>(frame.q[static_cast<Eigen::Index>(k)]));
    for (std::size_t k = 0; k < 4; ++k)
      EXPECT_NEAR(rotation[(4 + k) * n + f] / 32767.0, frame.q[static_cast<Eigen::Index>(3 + k)], 2e-5);
    ASSERT_EQ(start[f + 1] - start[f], static_cast<double>(frame.contacts.size()));
    for (std::size_t i = 0; i < frame.contacts.size(); ++i)
      EXPECT_EQ(force[3 * (static_cast<std::size_t>(start[f]) + i) + 2],
                static_cast<float>(frame.contacts[i].report.force.z()));
  }
  const JsonValue::Array& bodies = *run.scene.find("bodies")->if_array();
  ASSERT_EQ(bodies.size(), 2u);
  EXPECT_EQ(*bodies[0].find("shapes")->if_array()->at(0).find("type")->if_string(), "half-space");
  EXPECT_EQ(*bodies[1].find("name")->if_string(), "cube");
  EXPECT_EQ(bodies[1].find("shapes")->if_array()->at(0).find("pose")->if_array()->size(), 7u);
  EXPECT_TRUE(run.scene.find("notes")->if_array()->empty());
}

TEST(PageData, LargeRunsAreThinnedOutWithANote) {
  const Recording recording = record_scene("peiret-box", {"run.until=0.1"});
  const Model model = make_recorded_model(recording, "run");
  PageOptions options;
  options.max_pose_bytes = 400;
  options.max_contact_bytes = 700;
  const PageRun run = make_page_run(recording, model, options);
  const std::vector<double> time = decode(run.chunk, "time");
  EXPECT_EQ(time.front(), 0.0);
  EXPECT_EQ(time.back(), recording.frames.back().t);  // the end stays
  EXPECT_EQ(time.size(), 5u);
  const JsonValue::Array& notes = *run.scene.find("notes")->if_array();
  ASSERT_EQ(notes.size(), 2u);
  EXPECT_EQ(*notes[0].if_string(), "This page has one of 3 frames, 5 in all.");
  EXPECT_EQ(*notes[1].if_string(), "Contacts are shown of one of 2 frames.");
}

TEST(PageData, NothingInASceneCanEndItsElement) {
  Scene scene;
  scene.name = "</script><script>alert(1)</script>";
  Recording recording;
  recording.header.scene = write_scene(scene);
  const Model model = make_model(scene);
  const std::string page =
      make_page("<p>before</p><!--rigor-runs--><p>after</p>", {make_page_run(recording, model)});
  EXPECT_THAT(page,
              testing::StartsWith("<p>before</p><script type=\"application/json\" id=\"rigor-runs\">[{"));
  EXPECT_THAT(page, testing::EndsWith("</script>\n<p>after</p>"));
  EXPECT_THAT(page, HasSubstr("\\u003c/script>\\u003cscript>alert(1)"));
  EXPECT_THAT(page, testing::Not(HasSubstr("<script>alert")));
  EXPECT_THROW((void)make_page("no place", {}), InvalidInput);
}

}  // namespace
}  // namespace rigor
