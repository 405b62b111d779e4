#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "rigor/stepping/simulation.hpp"

/// A state and the totals of a run as bytes: what a run needs to go on as if it had never stopped.
namespace rigor {

/// Equal bytes, equal states, bit for bit.
[[nodiscard]] std::string to_bytes(const State& state);
/// The same behind what `bytes` holds.
void add_bytes(const State& state, std::string& bytes);

/// 64 bits that differ, but for chance, where two texts do.
[[nodiscard]] std::uint64_t hash_bytes(std::string_view bytes);

/// hash_bytes() of a state's bytes.
[[nodiscard]] std::uint64_t hash_state(const State& state);

/// A run between two steps.
struct Snapshot {
  State state;
  RunTotals totals;
};

[[nodiscard]] std::string to_bytes(const Snapshot& snapshot);
/// Throws InvalidInput where the bytes are none of a snapshot.
[[nodiscard]] Snapshot read_snapshot(std::string_view bytes);

}  // namespace rigor
