#include "rigor/io/recording_table.hpp"

#include "rigor/base/diagnostic.hpp"
#include "rigor/dynamics/kinematics.hpp"
#include "rigor/io/scene_reader.hpp"

namespace rigor {
namespace {

constexpr const char* kModes[] = {"open", "sticking", "sliding"};

// Motion of the bodies' own frames in a frame of the recording.
struct BodyMotions {
  std::vector<Pose> poses;
  std::vector<Eigen::Vector3d> velocities, angular_velocities;
};

class MotionReader {
 public:
  explicit MotionReader(const Model& model) : model_(model) {}

  const BodyMotions& read(const RecordedFrame& frame) {
    compute_positions(model_, frame.q, kin_);
    compute_velocities(model_, frame.v, kin_);
    motions_ = {};
    for (std::size_t b = 1; b < model_.bodies.size(); ++b) {
      const Eigen::Vector3d arm = kin_.bodies[b].R * model_.bodies[b].X_JB.position;
      motions_.poses.push_back(get_body_pose(model_, kin_, static_cast<BodyIndex>(b)));
      motions_.velocities.push_back(kin_.bodies[b].velocity_at(arm));
      motions_.angular_velocities.push_back(kin_.bodies[b].angular_velocity());
    }
    return motions_;
  }

 private:
  const Model& model_;
  Kinematics<double> kin_;
  BodyMotions motions_;
};

// Arrays under construction: rows are appended, the first dimension is counted at the end.
class Reals {
 public:
  Reals(std::string name, std::vector<std::size_t> item_shape)
      : array_{std::move(name), std::move(item_shape), {}} {}

  template <class Range>
  void add(const Range& numbers) {
    for (const double number : numbers) values_.push_back(number);
  }
  void add(double number) { values_.push_back(number); }
  NamedArray take(std::size_t rows) {
    array_.shape.insert(array_.shape.begin(), rows);
    array_.values = std::move(values_);
    return std::move(array_);
  }

 private:
  NamedArray array_;
  std::vector<double> values_;
};

void add_contact_arrays(const Recording& recording, std::vector<NamedArray>& arrays) {
  Reals point("contact_point", {3}), normal("contact_normal", {3}), gap("contact_gap", {}),
      force("contact_force", {3}), velocity("contact_velocity", {3}), mu("contact_mu", {});
  std::vector<std::int64_t> frames, a, b, modes, keys;
  for (std::size_t f = 0; f < recording.frames.size(); ++f)
    for (const RecordedContact& contact : recording.frames[f].contacts) {
      const ContactReport& report = contact.report;
      frames.push_back(static_cast<std::int64_t>(f));
      a.push_back(report.a);
      b.push_back(report.b);
      modes.push_back(static_cast<std::int64_t>(report.mode));
      keys.push_back(static_cast<std::int64_t>(contact.key));
      point.add(report.point);
      normal.add(report.normal);
      gap.add(report.gap);
      force.add(report.force);
      velocity.add(report.velocity);
      mu.add(report.mu);
    }
  const std::size_t count = frames.size();
  arrays.push_back({"contact_frame", {count}, std::move(frames)});
  arrays.push_back({"contact_a", {count}, std::move(a)});
  arrays.push_back({"contact_b", {count}, std::move(b)});
  arrays.push_back({"contact_mode", {count}, std::move(modes)});
  arrays.push_back({"contact_key", {count}, std::move(keys)});
  for (Reals* reals : {&point, &normal, &gap, &force, &velocity, &mu}) arrays.push_back(reals->take(count));
}

void add_names(const Model& model, std::vector<NamedArray>& arrays) {
  std::vector<std::string> bodies, motions;
  for (const ModelBody& body : model.bodies) bodies.push_back(body.name);
  for (const ModelMotion& motion : model.motions) motions.push_back(motion.name);
  arrays.push_back({"body_names", {bodies.size()}, bodies});  // [0] is the world
  arrays.push_back({"motion_names", {motions.size()}, motions});
}

}  // namespace

Model make_recorded_model(const Recording& recording, const std::string& file) {
  Model model = make_model(parse_scene(recording.header.scene, fmt::format("(scene of {})", file)));
  const auto bodies = static_cast<int>(model.bodies.size());
  for (std::size_t i = 0; i < recording.frames.size(); ++i) {
    const RecordedFrame& frame = recording.frames[i];
    bool fits = frame.q.size() == model.nq && frame.v.size() == model.nv &&
                frame.motion_forces.size() == model.motions.size();
    for (const RecordedContact& contact : frame.contacts)
      for (const BodyIndex body : {contact.report.a, contact.report.b})
        fits = fits && body >= 0 && body < bodies;
    if (!fits)
      throw InvalidDocument({{.file = file,
                              .rule = fmt::format("has in frame {} other bodies than its scene", i),
                              .remedy = "It was not written by Rigor, or changed since."}});
  }
  return model;
}

std::vector<NamedArray> make_arrays(const Recording& recording, const Model& model) {
  const std::size_t bodies = model.bodies.size() - 1, frames = recording.frames.size();
  Reals time("time", {}), q("q", {static_cast<std::size_t>(model.nq)}),
      v("v", {static_cast<std::size_t>(model.nv)}), position("body_position", {bodies, 3}),
      quaternion("body_quaternion", {bodies, 4}), velocity("body_velocity", {bodies, 3}),
      angular("body_angular_velocity", {bodies, 3}), motion("motion_force", {model.motions.size()});
  std::vector<Reals> certificate, energy;
  for (const char* name : kCertificateFields)
    certificate.emplace_back(fmt::format("certificate_{}", name), std::vector<std::size_t>{});
  for (const char* name : kEnergyFields)
    energy.emplace_back(fmt::format("energy_{}", name), std::vector<std::size_t>{});
  std::vector<std::int64_t> steps;
  MotionReader reader(model);
  for (const RecordedFrame& frame : recording.frames) {
    time.add(frame.t);
    steps.push_back(frame.step);
    q.add(frame.q);
    v.add(frame.v);
    motion.add(frame.motion_forces);
    const BodyMotions& motions = reader.read(frame);
    for (std::size_t b = 0; b < bodies; ++b) {
      const Eigen::Quaterniond& R = motions.poses[b].rotation;
      position.add(motions.poses[b].position);
      quaternion.add(std::array{R.w(), R.x(), R.y(), R.z()});
      velocity.add(motions.velocities[b]);
      angular.add(motions.angular_velocities[b]);
    }
    for (std::size_t i = 0; i < certificate.size(); ++i) certificate[i].add(frame.certificate[i]);
    for (std::size_t i = 0; i < energy.size(); ++i) energy[i].add(frame.energy[i]);
  }
  std::vector<NamedArray> arrays;
  arrays.push_back({"step", {frames}, std::move(steps)});
  for (Reals* reals : {&time, &q, &v, &position, &quaternion, &velocity, &angular, &motion})
    arrays.push_back(reals->take(frames));
  for (std::vector<Reals>* list : {&certificate, &energy})
    for (Reals& reals : *list) arrays.push_back(reals.take(frames));
  add_contact_arrays(recording, arrays);
  add_names(model, arrays);
  return arrays;
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

std::string to_csv(const Recording& recording, const Model& model) {
  std::string text = "time,step";
  for (std::size_t b = 1; b < model.bodies.size(); ++b) {
    const ModelBody& body = model.bodies[b];
    for (const char* what : {"x", "y", "z", "qw", "qx", "qy", "qz", "vx", "vy", "vz", "wx", "wy", "wz"})
      text += "," + csv_field(fmt::format("{}.{}", body.name, what));
    for (int k = 0; k < body.nq; ++k) text += "," + csv_field(fmt::format("{}.q{}", body.joint_name, k));
    for (int k = 0; k < body.nv; ++k) text += "," + csv_field(fmt::format("{}.v{}", body.joint_name, k));
  }
  for (const ModelMotion& motion : model.motions) text += "," + csv_field(motion.name + ".force");
  for (const char* name : kCertificateFields) text += fmt::format(",{}", name);
  for (const char* name : kEnergyFields) text += fmt::format(",energy.{}", name);
  text += '\n';

  MotionReader reader(model);
  const auto add = [&](const auto& numbers) {
    for (const double number : numbers) text += fmt::format(",{}", number);
  };
  for (const RecordedFrame& frame : recording.frames) {
    text += fmt::format("{},{}", frame.t, frame.step);
    const BodyMotions& motions = reader.read(frame);
    for (std::size_t b = 1; b < model.bodies.size(); ++b) {
      const ModelBody& body = model.bodies[b];
      const Eigen::Quaterniond& R = motions.poses[b - 1].rotation;
      add(motions.poses[b - 1].position);
      add(std::array{R.w(), R.x(), R.y(), R.z()});
      add(motions.velocities[b - 1]);
      add(motions.angular_velocities[b - 1]);
      add(frame.q.segment(body.q0, body.nq));
      add(frame.v.segment(body.v0, body.nv));
    }
    add(frame.motion_forces);
    add(frame.certificate);
    add(frame.energy);
    text += '\n';
  }
  return text;
}

std::string contacts_to_csv(const Recording& recording, const Model& model) {
  std::string text = "time,a,b,key,mode,mu,gap";
  for (const char* what : {"point", "normal", "force", "velocity"})
    for (const char axis : {'x', 'y', 'z'}) text += fmt::format(",{}_{}", what, axis);
  text += '\n';
  const auto name = [&](BodyIndex body) {
    return csv_field(model.bodies[static_cast<std::size_t>(body)].name);
  };
  for (const RecordedFrame& frame : recording.frames)
    for (const auto& [report, key] : frame.contacts) {
      text += fmt::format("{},{},{},{:016x},{},{},{}", frame.t, name(report.a), name(report.b), key,
                          kModes[static_cast<int>(report.mode)], report.mu, report.gap);
      for (const Eigen::Vector3d& vector : {report.point, report.normal, report.force, report.velocity})
        for (const double number : vector) text += fmt::format(",{}", number);
      text += '\n';
    }
  return text;
}

}  // namespace rigor
