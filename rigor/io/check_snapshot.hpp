#pragma once

#include "rigor/io/state_bytes.hpp"

namespace rigor {

/// Holds a checkpoint that was read from a file against the run that is to go on from it: anybody may have
/// written the file, with sums that are right. Checked are lengths, numbers that must be finite or not
/// negative, unit quaternions, the time that belongs to the number of steps, words that are written as
/// numbers, and of every remembered contact its shapes, its order and its step.
///
/// Throws InvalidInput with one sentence that names the field, its value and the rule.
void check_snapshot(const Snapshot& snapshot, const Simulation& simulation);

}  // namespace rigor
