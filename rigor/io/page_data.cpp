#include "rigor/io/page_data.hpp"

#include <zlib.h>

#include <algorithm>
#include <cmath>

#include "rigor/dynamics/kinematics.hpp"
#include "rigor/io/byte_stream.hpp"
#include "rigor/io/scene_reader.hpp"
#include "rigor/io/scene_to_json.hpp"

namespace rigor {
namespace {

constexpr std::size_t kPoseBytes = 44;     // of a body in a frame: position, rotation, velocities
constexpr std::size_t kContactBytes = 73;  // of a contact in a frame

JsonValue pose_to_json(const Pose& pose) {
  const Eigen::Quaterniond& R = pose.rotation;
  const Eigen::Vector3d& p = pose.position;
  return JsonValue::Array{p.x(), p.y(), p.z(), R.w(), R.x(), R.y(), R.z()};
}

// A shape as the scene gives it, with its pose in the body's frame as seven numbers.
JsonValue shape_to_json(const ShapeInstance& shape) {
  JsonValue value = scene_json::to_value(shape);
  JsonValue out{JsonValue::Object{}};
  for (const JsonMember& member : *value.if_object())
    if (member.key != "pose") out.add(member.key, member.value);
  out.add("pose", pose_to_json(shape.pose));
  return out;
}

JsonValue shapes_to_json(const std::vector<ShapeInstance>& shapes) {
  JsonValue::Array list;
  for (const ShapeInstance& shape : shapes) list.push_back(shape_to_json(shape));
  return list;
}

// The bodies in the order of the model, which is not that of the scene.
JsonValue bodies_to_json(const Scene& scene, const Model& model) {
  JsonValue::Array list;
  JsonValue& world = list.emplace_back(JsonValue::Object{});
  world.add("name", std::string(kWorld));
  world.add("shapes", shapes_to_json(scene.shapes));
  for (std::size_t b = 1; b < model.bodies.size(); ++b) {
    const ModelBody& body = model.bodies[b];
    JsonValue& entry = list.emplace_back(JsonValue::Object{});
    entry.add("name", body.name);
    entry.add("mass", body.inertia_J.m);
    entry.add("joint", std::string(names_of(Kind<JointType>{})[static_cast<std::size_t>(body.type)]));
    if (body.parent != kWorldIndex) entry.add("parent", body.parent);
    const auto own = std::find_if(scene.bodies.begin(), scene.bodies.end(),
                                  [&](const Body& one) { return one.name == body.name; });
    entry.add("shapes", own == scene.bodies.end() ? JsonValue::Array{} : shapes_to_json(own->shapes));
  }
  return list;
}

// Springs and distances are seen as lines between two points.
JsonValue lines_to_json(const Model& model) {
  JsonValue::Array list;
  const auto add = [&](const std::string& name, const char* kind, BodyIndex a, BodyIndex b,
                       const Eigen::Vector3d& on_a, const Eigen::Vector3d& on_b) {
    const auto in_body = [&](BodyIndex body, const Eigen::Vector3d& in_J) {
      const Pose X_BJ = inverse(model.bodies[static_cast<std::size_t>(body)].X_JB);
      const Eigen::Vector3d p = X_BJ.position + X_BJ.rotation * in_J;
      return JsonValue::Array{p.x(), p.y(), p.z()};
    };
    JsonValue& entry = list.emplace_back(JsonValue::Object{});
    entry.add("name", name);
    entry.add("kind", std::string(kind));
    entry.add("a", a);
    entry.add("b", b);
    entry.add("point_a", in_body(a, on_a));
    entry.add("point_b", in_body(b, on_b));
  };
  for (const ModelSpring& spring : model.springs)
    add(spring.spring.name, "spring", spring.a, spring.b, spring.spring.point_a, spring.spring.point_b);
  for (const ModelConstraint& constraint : model.constraints)
    if (const auto* distance = std::get_if<DistanceConstraint>(&constraint.geometry))
      add(constraint.name, "distance", constraint.a, constraint.b, distance->point_a, distance->point_b);
  return list;
}

// Arrays of a chunk, one after the other.
class ArrayWriter {
 public:
  explicit ArrayWriter(PageChunk& chunk) : chunk_(chunk) { chunk_.arrays = JsonValue::Array{}; }

  template <class T>
  void add(const std::string& name, const char* type, const std::vector<T>& values,
           std::vector<std::size_t> shape) {
    JsonValue entry{JsonValue::Object{}};
    entry.add("name", name);
    entry.add("type", std::string(type));
    JsonValue::Array extents;
    for (const std::size_t extent : shape) extents.push_back(static_cast<double>(extent));
    entry.add("shape", std::move(extents));
    std::get<JsonValue::Array>(chunk_.arrays.data).push_back(std::move(entry));
    chunk_.bytes.resize((chunk_.bytes.size() + 7) / 8 * 8, '\0');
    const auto* bytes = reinterpret_cast<const char*>(values.data());
    const bool is_ordered = std::is_same_v<T, float> || std::is_same_v<T, std::int16_t>;
    for (std::size_t k = 0; k < (is_ordered ? sizeof(T) : 0); ++k)
      for (std::size_t i = 0; i < values.size(); ++i) chunk_.bytes += bytes[i * sizeof(T) + k];
    if (!is_ordered) chunk_.bytes.append(bytes, values.size() * sizeof(T));
  }

 private:
  PageChunk& chunk_;
};

std::int16_t to_short(double value) {
  return static_cast<std::int16_t>(std::lround(std::clamp(value, -1.0, 1.0) * 32767.0));
}

// Time runs fastest: a body at rest is a row of equal numbers.
void add_motions(const std::vector<const RecordedFrame*>& frames, const Model& model, ArrayWriter& out) {
  const std::size_t n = frames.size(), bodies = model.bodies.size();
  std::vector<float> position(bodies * 3 * n), velocity(bodies * 6 * n);
  std::vector<std::int16_t> rotation(bodies * 4 * n);
  Kinematics<double> kin;
  for (std::size_t f = 0; f < n; ++f) {
    compute_positions(model, frames[f]->q, kin);
    compute_velocities(model, frames[f]->v, kin);
    for (std::size_t b = 0; b < bodies; ++b) {
      const Pose pose = get_body_pose(model, kin, static_cast<BodyIndex>(b));
      const Eigen::Quaterniond& R = pose.rotation;
      const Eigen::Vector3d v = kin.bodies[b].velocity_at(kin.bodies[b].R * model.bodies[b].X_JB.position);
      const Eigen::Vector3d w = kin.bodies[b].angular_velocity();
      const double quaternion[] = {R.w(), R.x(), R.y(), R.z()};
      for (std::size_t k = 0; k < 4; ++k) rotation[(b * 4 + k) * n + f] = to_short(quaternion[k]);
      for (std::size_t k = 0; k < 3; ++k) {
        const auto i = static_cast<Eigen::Index>(k);
        position[(b * 3 + k) * n + f] = static_cast<float>(pose.position[i]);
        velocity[(b * 6 + k) * n + f] = static_cast<float>(v[i]);
        velocity[(b * 6 + 3 + k) * n + f] = static_cast<float>(w[i]);
      }
    }
  }
  out.add("position", "f4", position, {bodies, 3, n});
  out.add("rotation", "i2", rotation, {bodies, 4, n});
  out.add("velocity", "f4", velocity, {bodies, 6, n});
}

void add_scalars(const std::vector<const RecordedFrame*>& frames, ArrayWriter& out) {
  const std::size_t n = frames.size();
  std::vector<double> time;
  for (const RecordedFrame* frame : frames) time.push_back(frame->t);
  out.add("time", "f8", time, {n});
  std::vector<float> values(n);
  const auto add = [&](const std::string& name, auto get) {
    std::transform(frames.begin(), frames.end(), values.begin(),
                   [&](const RecordedFrame* f) { return static_cast<float>(get(*f)); });
    out.add(name, "f4", values, {n});
  };
  add("step_length", [](const RecordedFrame& frame) { return frame.h; });
  for (std::size_t i = 0; i < kCertificateFields.size(); ++i)
    add(fmt::format("certificate.{}", kCertificateFields[i]),
        [i](const RecordedFrame& frame) { return frame.certificate[i]; });
  for (std::size_t i = 0; i < kEnergyFields.size(); ++i)
    add(fmt::format("energy.{}", kEnergyFields[i]),
        [i](const RecordedFrame& frame) { return frame.energy[i]; });
  const std::size_t motions = frames.empty() ? 0 : frames[0]->motion_forces.size();
  for (std::size_t i = 0; i < motions; ++i)
    add(fmt::format("motion.{}", i), [i](const RecordedFrame& frame) { return frame.motion_forces[i]; });
}

// Of every `stride`-th frame, one frame after the other.
void add_contacts(const std::vector<const RecordedFrame*>& frames, std::size_t stride, ArrayWriter& out) {
  std::vector<std::int32_t> start{0}, bodies;
  std::vector<double> keys;
  std::vector<std::uint8_t> modes;
  std::vector<float> points, normals, forces, velocities, gaps, mus;
  const auto add = [](std::vector<float>& out_values, const Eigen::Vector3d& vector) {
    for (const double value : vector) out_values.push_back(static_cast<float>(value));
  };
  for (std::size_t f = 0; f < frames.size(); f += stride) {
    for (const auto& [contact, key] : frames[f]->contacts) {
      bodies.push_back(contact.a);
      bodies.push_back(contact.b);
      keys.push_back(static_cast<double>(key >> 11));  // 53 bits, which a double holds
      modes.push_back(static_cast<std::uint8_t>(contact.mode));
      add(points, contact.point);
      add(normals, contact.normal);
      add(forces, contact.force);
      add(velocities, contact.velocity);
      gaps.push_back(static_cast<float>(contact.gap));
      mus.push_back(static_cast<float>(contact.mu));
    }
    start.push_back(static_cast<std::int32_t>(modes.size()));
  }
  const std::size_t n = modes.size();
  out.add("contact.start", "i4", start, {start.size()});
  out.add("contact.bodies", "i4", bodies, {n, 2});
  out.add("contact.key", "f8", keys, {n});
  out.add("contact.mode", "u1", modes, {n});
  out.add("contact.point", "f4", points, {n, 3});
  out.add("contact.normal", "f4", normals, {n, 3});
  out.add("contact.force", "f4", forces, {n, 3});
  out.add("contact.velocity", "f4", velocities, {n, 3});
  out.add("contact.gap", "f4", gaps, {n});
  out.add("contact.mu", "f4", mus, {n});
}

std::string gzip(const std::string& bytes) {
  z_stream stream{};
  constexpr int kGzip = 15 + 16, kLevel = 6, kMemory = 9;
  if (::deflateInit2(&stream, kLevel, Z_DEFLATED, kGzip, kMemory, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::bad_alloc();
  std::string packed(::deflateBound(&stream, static_cast<uLong>(bytes.size())), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  const int status = ::deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  ::deflateEnd(&stream);
  if (status != Z_STREAM_END) throw std::bad_alloc();
  return packed;
}

std::string base64(const std::string& bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t word = 0;
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    for (std::size_t k = 0; k < 3; ++k)
      word = word << 8 | (k < count ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    for (std::size_t k = 0; k < 4; ++k) text += k <= count ? kDigits[word >> (18 - 6 * k) & 63u] : '=';
  }
  return text;
}

void fill_chunk(const std::vector<const RecordedFrame*>& frames, const Model& model,
                std::size_t contact_stride, PageChunk& chunk) {
  ArrayWriter out(chunk);
  add_scalars(frames, out);
  add_motions(frames, model, out);
  add_contacts(frames, contact_stride, out);
}

}  // namespace

JsonValue describe_for_page(const Scene& scene, const Model& model, const std::string& label) {
  const RunSettings& run = scene.run;
  const std::string formulation(names_of(Kind<Formulation>{})[static_cast<std::size_t>(run.formulation)]);
  JsonValue value{JsonValue::Object{}};
  value.add("name", scene.name);
  value.add("description", scene.description);
  value.add("label", label.empty() ? formulation : label);
  value.add("formulation", formulation);
  value.add("dt", run.dt);
  value.add("until", run.until);
  value.add("gravity", JsonValue::Array{scene.gravity.x(), scene.gravity.y(), scene.gravity.z()});
  const Eigen::Vector3d& n = model.plane_normal;
  value.add("plane_normal", JsonValue::Array{n.x(), n.y(), n.z()});
  value.add("bodies", bodies_to_json(scene, model));
  value.add("lines", lines_to_json(model));
  JsonValue::Array motions;
  for (const ModelMotion& motion : model.motions) {
    JsonValue& entry = motions.emplace_back(JsonValue::Object{});
    entry.add("name", motion.name);
    entry.add("unit", std::string(is_rotation(model, motion.v) ? "N m" : "N"));
  }
  value.add("motions", std::move(motions));
  return value;
}

PageChunk make_page_chunk(const std::vector<RecordedFrame>& frames, const Model& model) {
  std::vector<const RecordedFrame*> all;
  for (const RecordedFrame& frame : frames) all.push_back(&frame);
  PageChunk chunk;
  fill_chunk(all, model, 1, chunk);
  return chunk;
}

PageRun make_page_run(const Recording& recording, const Model& model, const PageOptions& options) {
  PageRun run;
  run.scene = describe_for_page(parse_scene(recording.header.scene), model, options.label);
  const std::size_t total = recording.frames.size();
  const auto stride_for = [](std::size_t bytes, std::size_t most) {
    return std::max<std::size_t>(1, (bytes + most - 1) / most);
  };
  const std::size_t stride = stride_for(total * model.bodies.size() * kPoseBytes, options.max_pose_bytes);
  std::vector<const RecordedFrame*> frames;
  for (std::size_t f = 0; f < total; f += stride) frames.push_back(&recording.frames[f]);
  if (total > 0 && frames.back() != &recording.frames.back()) frames.push_back(&recording.frames.back());
  std::size_t contacts = 0;
  for (const RecordedFrame* frame : frames) contacts += frame->contacts.size();
  const std::size_t contact_stride = stride_for(contacts * kContactBytes, options.max_contact_bytes);
  fill_chunk(frames, model, contact_stride, run.chunk);

  run.scene.add("contact_stride", static_cast<double>(contact_stride));
  run.scene.add("finished", recording.is_finished);
  JsonValue::Array notes;
  if (stride > 1)
    notes.emplace_back(fmt::format("This page has one of {} frames, {} in all.", stride, frames.size()));
  if (contact_stride > 1)
    notes.emplace_back(fmt::format("Contacts are shown of one of {} frames.", contact_stride));
  if (!recording.is_finished) notes.emplace_back(std::string("The run did not reach its end."));
  run.scene.add("notes", std::move(notes));
  return run;
}

std::string to_script_text(const JsonValue& value) {
  std::string text;
  for (const char c : write_json(value, 0)) text += c == '<' ? "\\u003c" : std::string(1, c);
  return text;
}

std::string make_page(std::string_view page_template, const std::vector<PageRun>& runs) {
  constexpr std::string_view kPlace = "<!--rigor-runs-->";
  const std::size_t place = page_template.find(kPlace);
  require(place != std::string_view::npos, "the page's template has no place for runs.");
  JsonValue::Array list;
  for (const PageRun& run : runs) {
    JsonValue& entry = list.emplace_back(run.scene);
    entry.add("arrays", run.chunk.arrays);
  }
  std::string page(page_template.substr(0, place));
  page +=
      fmt::format("<script type=\"application/json\" id=\"rigor-runs\">{}</script>\n", to_script_text(list));
  for (std::size_t i = 0; i < runs.size(); ++i)
    page += fmt::format("<script type=\"application/gzip\" id=\"rigor-frames-{}\">{}</script>\n", i,
                        base64(gzip(runs[i].chunk.bytes)));
  page += page_template.substr(place + kPlace.size());
  return page;
}

}  // namespace rigor
