// A checkpoint that somebody forged, under sums that are right: each field in turn, told in one sentence.
#include "rigor/io/check_snapshot.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "rigor/io/scene_reader.hpp"
#include "tests/support/message_of.hpp"

namespace rigor {
namespace {

using test::message_of;
using testing::HasSubstr;

// A box with a hinge and a ball joint on it, at rest on the floor: quaternions, angles and contacts.
constexpr const char* kScene = R"({"rigor": 1, "shapes": [{"type": "half-space"}],
  "bodies": [{"name": "box", "mass": 1, "pose": [0, 0, 0.1], "shapes": [{"type": "box", "size": [0.2, 0.2, 0.2]}]},
             {"name": "arm", "mass": 1, "inertia": [1, 1, 1], "joint": {"type": "ball", "parent": "box"}}],
  "run": {"dt": 0.001, "until": 0.02}})";

class ForgedSnapshot : public testing::Test {
 protected:
  ForgedSnapshot() : simulation_(parse_scene(kScene)) {
    for (int i = 0; i < 5; ++i) EXPECT_TRUE(simulation_.step().is_taken());
    sound_ = {simulation_.state(), simulation_.totals()};
  }
  // What is said of the checkpoint after `forge` changed it, and it went through a file.
  std::string said_of(const std::function<void(Snapshot&)>& forge) const {
    Snapshot forged = sound_;
    forge(forged);
    return message_of([&] { check_snapshot(read_snapshot(to_bytes(forged)), simulation_); });
  }
  Simulation simulation_;
  Snapshot sound_;
};

TEST_F(ForgedSnapshot, OneOfTheRunItselfIsTaken) {
  ASSERT_GE(sound_.state.contacts.size(), 4u);
  EXPECT_EQ(said_of([](Snapshot&) {}), "");
}

// An index into a table of four: this wrote far outside of it.
TEST_F(ForgedSnapshot, VerdictsAreWordsOfTheirList) {
  for (const int verdict : {-1, 4, 100, 40'000'000, -200'000'000})
    EXPECT_EQ(said_of([&](Snapshot& s) { s.state.contacts[0].velocity = verdict; }),
              fmt::format(
                  "the checkpoint is not one of this scene: contact 0: verdict on the velocity {}, must be 0 "
                  "to 3.",
                  verdict));
  EXPECT_THAT(said_of([](Snapshot& s) { s.state.contacts[1].mode = static_cast<ContactMode>(3); }),
              HasSubstr("contact mode 3, must be 0, 1 or 2."));
  EXPECT_THAT(said_of([](Snapshot& s) { s.state.contacts[1].force_freedom = -1; }),
              HasSubstr("contact 1: force_freedom -1, must be >= 0."));
}

TEST_F(ForgedSnapshot, ContactsAreBetweenShapesOfTheSceneAndInOrder) {
  for (const int shape : {-1, 2, 1 << 30}) {
    EXPECT_THAT(said_of([&](Snapshot& s) { s.state.contacts[0].shape_a = shape; }),
                HasSubstr("contact 0 is between"));
    EXPECT_THAT(said_of([&](Snapshot& s) { s.state.contacts[0].shape_b = shape; }),
                HasSubstr("contact 0 is between"));
  }
  EXPECT_THAT(said_of([](Snapshot& s) { std::swap(s.state.contacts[0], s.state.contacts[2]); }),
              HasSubstr("must stand behind it."));
  EXPECT_THAT(said_of([](Snapshot& s) { s.state.contacts[1] = s.state.contacts[0]; }),
              HasSubstr("contact 1 stands before contact 0"));
  for (const double h : {0.0, -1e-3, 1.0, std::nan("")})
    EXPECT_THAT(said_of([&](Snapshot& s) { s.state.contacts[0].h = h; }),
                HasSubstr("contact 0: its step took"));
  EXPECT_THAT(said_of([](Snapshot& s) { s.state.contacts[0].impulse[2] = std::nan(""); }),
              HasSubstr("impulse or drift is not finite."));
  EXPECT_THAT(said_of([](Snapshot& s) { s.state.contacts[0].drift = INFINITY; }),
              HasSubstr("impulse or drift is not finite."));
  EXPECT_THAT(said_of([](Snapshot& s) { s.state.contacts[0].anchor_b[1] = std::nan(""); }),
              HasSubstr("an anchor is not finite."));
}

TEST_F(ForgedSnapshot, CoordinatesAreThoseOfTheModel) {
  EXPECT_THAT(said_of([](Snapshot& s) { s.state.q.conservativeResize(3); }), HasSubstr("3 coordinates and"));
  EXPECT_THAT(said_of([](Snapshot& s) { s.state.v.resize(0); }), HasSubstr("and 0 speeds"));
  EXPECT_THAT(said_of([](Snapshot& s) { s.state.q[0] = std::nan(""); }),
              HasSubstr("a coordinate is not finite."));
  EXPECT_THAT(said_of([](Snapshot& s) { s.state.v[2] = -INFINITY; }), HasSubstr("a speed is not finite."));
  for (const double w : {0.0, 0.5, 1e300})
    for (const int at : {3, 7})  // of the free body, of the ball joint
      EXPECT_THAT(said_of([&](Snapshot& s) { s.state.q.segment<4>(at) << w, 0.0, 0.0, 0.0; }),
                  HasSubstr(fmt::format("has length {}, must have 1.", w)));
}

TEST_F(ForgedSnapshot, TimeAndTotalsAreThoseOfARun) {
  EXPECT_THAT(said_of([](Snapshot& s) { s.totals.steps = -1; }), HasSubstr("-1 steps, must be 0 to 20."));
  EXPECT_THAT(said_of([](Snapshot& s) { s.totals.steps = 21; }), HasSubstr("21 steps, must be 0 to 20."));
  for (const double t : {std::nan(""), -1.0, 0.0051, 1e300})
    EXPECT_THAT(said_of([&](Snapshot& s) { s.state.t = t; }), HasSubstr("after 5 steps, must be 0.005 s."));
  EXPECT_THAT(said_of([](Snapshot& s) { s.totals.worst_residual = std::nan(""); }),
              HasSubstr("worst_residual = nan, must be finite and >= 0."));
  EXPECT_THAT(said_of([](Snapshot& s) { s.totals.phantom_inertia = 1e-309; }),
              HasSubstr("with a limit that is infinite"));
  EXPECT_THAT(said_of([](Snapshot& s) { s.totals.velocity_steps[2] = -5; }),
              HasSubstr("velocity_steps = -5"));
  EXPECT_THAT(said_of([](Snapshot& s) { s.totals.energy.transport = INFINITY; }),
              HasSubstr("an item of the energy ledger is inf, must be finite."));
}

}  // namespace
}  // namespace rigor
