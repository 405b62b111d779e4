#include <fmt/format.h>

#include <chrono>
#include <thread>

#include "rigor/io/byte_stream.hpp"
#include "rigor/io/recorder.hpp"
#include "rigor/io/recording_file.hpp"
#include "rigor/io/recording_table.hpp"
#include "tools/rigor/commands.hpp"
#include "tools/rigor/live_server.hpp"
#include "tools/rigor/page.hpp"
#include "tools/rigor/say.hpp"
#include "tools/rigor/terminal.hpp"

namespace rigor {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr Seconds kSendInterval{1.0 / 30.0};  // of wall time: frames are sent together

// Frames as one message: u32 length of the description, the description, at a multiple of 8 the arrays.
std::string to_message(const PageChunk& chunk) {
  const std::string text = write_json(chunk.arrays, 0);
  std::string message;
  ByteWriter out(message);
  out.put(static_cast<std::uint32_t>(text.size()));
  out.put_bytes(text);
  message.resize((message.size() + 7) / 8 * 8, '\0');
  out.put_bytes(chunk.bytes);
  return message;
}

// A scene in motion, as fast as the clock on the wall or as the computer can.
class LiveRun {
 public:
  LiveRun(const Scene& scene, const ViewRequest& request)
      : scene_(scene),
        request_(request),
        server_(std::string(page_template()), {.port = request.port, .takes_commands = request.control}) {
    restart();
    server_.set_greeting(greeting());
  }

  [[nodiscard]] std::string url() const { return server_.url(); }

  int run() {
    while (!was_interrupted()) {
      for (const std::string& command : server_.take_commands()) obey(command);
      const bool is_going = !is_failed_ && !simulation_->is_finished() && (!is_paused_ || steps_wanted_ > 0);
      const bool is_early =
          !request_.fast && !is_paused_ && simulation_->state().t > Seconds(Clock::now() - start_).count();
      if (is_going && !is_early)
        step();
      else
        std::this_thread::sleep_for(std::chrono::milliseconds(is_going ? 1 : 15));
      if (Clock::now() - last_sent_ > kSendInterval) send();
    }
    return is_failed_ ? kNotAnswered : kAnswered;
  }

 private:
  [[nodiscard]] std::string greeting() const {
    JsonValue value{JsonValue::Object{}};
    value.add("control", request_.control);
    value.add("scene", describe_for_page(scene_, simulation_->model(), ""));
    return write_json(value, 0);
  }

  void restart() {
    simulation_ = std::make_unique<Simulation>(scene_);
    const double every = request_.every > 0.0 ? request_.every : std::max(scene_.run.dt, 1.0 / 60.0);
    recorder_.emplace(*simulation_, every, 0.0);
    pending_ = {recorder_->make_frame()};
    is_failed_ = false;
    start_ = Clock::now();
  }

  void step() {
    const StepReport report = simulation_->step();
    if (steps_wanted_ > 0) --steps_wanted_;
    if (!report.is_taken()) {
      is_failed_ = true;
      complain("rigor: step {}, t = {:.9g} s: {}.\n", simulation_->totals().steps + 1, simulation_->state().t,
               report.message);
      return;
    }
    // a single step is to be seen, whatever the frames' distance
    if (recorder_->note(report) || is_paused_) pending_.push_back(recorder_->make_frame());
  }

  void send() {
    last_sent_ = Clock::now();
    if (pending_.empty()) return;
    server_.publish(to_message(make_page_chunk(pending_, simulation_->model())));
    pending_.clear();
  }

  void obey(const std::string& command) {
    if (command == "pause") is_paused_ = true;
    if (command == "step") is_paused_ = true, ++steps_wanted_;
    if (command == "play") {
      is_paused_ = false;
      start_ = Clock::now() - std::chrono::duration_cast<Clock::duration>(Seconds(simulation_->state().t));
    }
    if (command == "reset") {
      restart();
      server_.restart("{\"reset\": true}");
    }
  }

  const Scene& scene_;
  ViewRequest request_;
  LiveServer server_;
  std::unique_ptr<Simulation> simulation_;
  std::optional<Recorder> recorder_;
  std::vector<RecordedFrame> pending_;
  Clock::time_point start_, last_sent_{};
  bool is_paused_{false}, is_failed_{false};
  int steps_wanted_{0};
};

void announce(const std::string& url, bool json) {
  if (json) {
    JsonValue value{JsonValue::Object{}};
    value.add("url", url);
    print_json(value);
  } else {
    say("{}  (Ctrl-C ends)\n", url);
  }
  std::fflush(stdout);  // whoever started us waits for it
}

int view_recording(const ViewRequest& request) {
  const RecordingContent content = read_recording(request.scene.scene);
  if (!content.damage.empty()) complain("rigor: {}\n", content.damage);
  const Model model = make_recorded_model(content.recording, request.scene.scene);
  LiveServer server(make_page(page_template(), {make_page_run(content.recording, model)}),
                    {.port = request.port});
  announce(server.url(), request.scene.json);
  while (!was_interrupted()) std::this_thread::sleep_for(std::chrono::milliseconds(50));
  return kAnswered;
}

}  // namespace

int run_view(const ViewRequest& request) {
  require_page();
  if (request.scene.scene.ends_with(".rec")) return view_recording(request);
  const Scene scene = request.scene.load();
  LiveRun run(scene, request);
  announce(run.url(), request.scene.json);
  return run.run();
}

}  // namespace rigor
