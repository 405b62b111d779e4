#include "rigor/io/state_bytes.hpp"

#include "rigor/io/byte_stream.hpp"

namespace rigor {
namespace {

// One function lists the fields of a struct for both directions. It names them by structured bindings, so
// that a field which is added and forgotten here does not compile.
class Save {
 public:
  explicit Save(std::string& out) : out_(out) {}

  template <class T>
  requires(std::is_arithmetic_v<T> || std::is_enum_v<T>) void operator()(const T& value) { out_.put(value); }
  void operator()(const Eigen::Vector3d& vector) {
    for (const double value : vector) out_.put(value);
  }
  void operator()(const Eigen::VectorXd& vector) {
    count(static_cast<std::size_t>(vector.size()));
    for (const double value : vector) out_.put(value);
  }
  template <class T>
  void list(const std::vector<T>& items) {
    count(items.size());
    for (const T& item : items) transfer(*this, item);
  }

 private:
  void count(std::size_t n) { out_.put(static_cast<std::uint64_t>(n)); }
  ByteWriter out_;
};

class Load {
 public:
  explicit Load(std::string_view bytes) : in_(bytes) {}

  template <class T>
  requires(std::is_arithmetic_v<T>) void operator()(T& value) { value = in_.get<T>(); }
  void operator()(bool& value) { value = in_.get<std::uint8_t>() != 0; }
  void operator()(ContactMode& mode) {
    mode = in_.get<ContactMode>();
    require(mode >= ContactMode::kOpen && mode <= ContactMode::kSliding,
            "contact mode {}, must be 0, 1 or 2.", static_cast<int>(mode));
  }
  void operator()(Eigen::Vector3d& vector) {
    for (double& value : vector) value = in_.get<double>();
  }
  void operator()(Eigen::VectorXd& vector) {
    vector.resize(static_cast<Eigen::Index>(count(sizeof(double))));
    for (double& value : vector) value = in_.get<double>();
  }
  template <class T>
  void list(std::vector<T>& items) {
    items.resize(count(1));
    for (T& item : items) transfer(*this, item);
  }
  [[nodiscard]] std::size_t left() const { return in_.left(); }

 private:
  // before memory is taken: an item has at least so many bytes
  std::size_t count(std::size_t bytes) {
    const auto n = in_.get<std::uint64_t>();
    require(n <= in_.left() / bytes, "{} numbers are announced where {} bytes are left.", n, in_.left());
    return static_cast<std::size_t>(n);
  }
  ByteReader in_;
};

template <class Archive, class T>
requires std::is_same_v<std::remove_const_t<T>, ContactMemory>
void transfer(Archive& archive, T& memory) {
  auto& [shape_a, shape_b, id, impulse, h, anchor_a, anchor_b, drift, lost, is_anchored, rolls, mode,
         is_closed, force_freedom, velocity] = memory;
  archive(shape_a), archive(shape_b);
  archive(id.part_a), archive(id.part_b), archive(id.a), archive(id.b);
  archive(impulse), archive(h), archive(anchor_a), archive(anchor_b), archive(drift), archive(lost);
  archive(is_anchored), archive(rolls), archive(mode), archive(is_closed);
  archive(force_freedom), archive(velocity);
}

template <class Archive, class T>
requires std::is_same_v<std::remove_const_t<T>, State>
void transfer(Archive& archive, T& state) {
  auto& [t, q, v, contacts, usual_work] = state;
  archive(t), archive(q), archive(v), archive(usual_work);
  archive.list(contacts);
}

template <class Archive, class T>
requires std::is_same_v<std::remove_const_t<T>, EnergyLedger>
void transfer(Archive& archive, T& energy) {
  auto& [applied, motors, bilateral, relaxation, normal, friction, limits, numerical, transport, projection,
         kinetic_change, scale, reach, potential_change, lifted] = energy;
  archive(applied), archive(motors), archive(bilateral), archive(relaxation), archive(normal);
  archive(friction), archive(limits), archive(numerical), archive(transport), archive(projection);
  archive(kinetic_change), archive(scale), archive(reach), archive(potential_change), archive(lifted);
}

template <class Archive, class T>
requires std::is_same_v<std::remove_const_t<T>, RunTotals>
void transfer(Archive& archive, T& totals) {
  auto& [steps, worst_residual, worst_relative_residual, worst_constraint_error, worst_imbalance, worst_made,
         redundant_rows, worst_penetration, worst_cone_violation, worst_direction_violation, worst_lift_off,
         sticking_drift, rolling_drift, unsolved_steps, rounding_steps, non_unique_steps, velocity_steps,
         iterations, islands, fallbacks, phantom_inertia, phantom_limit, most_contacts, lead, times, energy] =
      totals;
  archive(steps), archive(worst_residual), archive(worst_relative_residual), archive(worst_constraint_error),
      archive(worst_imbalance), archive(worst_made);
  archive(redundant_rows), archive(worst_penetration), archive(worst_cone_violation);
  archive(worst_direction_violation), archive(worst_lift_off), archive(sticking_drift),
      archive(rolling_drift);
  archive(unsolved_steps), archive(rounding_steps), archive(non_unique_steps), archive(most_contacts);
  for (auto& count : velocity_steps) archive(count);
  archive(iterations), archive(islands), archive(fallbacks);
  archive(phantom_inertia), archive(phantom_limit);
  auto& [size, rank, condition] = lead;
  archive(size), archive(rank), archive(condition);
  transfer(archive, energy);
  (void)times;  // of this computer, not of the run: equal runs have equal bytes
}

}  // namespace

void add_bytes(const State& state, std::string& bytes) {
  Save save(bytes);
  transfer(save, state);
}

std::string to_bytes(const State& state) {
  std::string bytes;
  add_bytes(state, bytes);
  return bytes;
}

// Eight bytes at a time: multiply by an odd constant, and bring the high bits down; the length closes it.
std::uint64_t hash_bytes(std::string_view bytes) {
  constexpr std::uint64_t kPrime = 0x9E3779B97F4A7C15u;
  std::uint64_t hash = kPrime ^ bytes.size();
  const auto mix = [&](std::uint64_t word) {
    hash = (hash ^ word) * kPrime;
    hash ^= hash >> 32;
  };
  for (; bytes.size() >= 8; bytes.remove_prefix(8)) {
    std::uint64_t word;
    std::memcpy(&word, bytes.data(), 8);
    mix(word);
  }
  std::uint64_t last = 0;
  for (const char c : bytes) last = last << 8 | static_cast<unsigned char>(c);
  mix(last);
  return hash;
}

std::uint64_t hash_state(const State& state) {
  return hash_bytes(to_bytes(state));
}

std::string to_bytes(const Snapshot& snapshot) {
  std::string bytes;
  Save save(bytes);
  transfer(save, snapshot.state);
  transfer(save, snapshot.totals);
  return bytes;
}

Snapshot read_snapshot(std::string_view bytes) {
  Load load(bytes);
  Snapshot snapshot;
  transfer(load, snapshot.state);
  transfer(load, snapshot.totals);
  require(load.left() == 0, "a snapshot is followed by {} bytes.", load.left());
  return snapshot;
}

}  // namespace rigor
