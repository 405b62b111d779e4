#pragma once

#include <string>

#include "rigor/base/require.hpp"

namespace rigor::test {

/// What the InvalidInput says that `act` ends with; "" where it ends with none.
template <class Act>
std::string message_of(const Act& act) {
  try {
    act();
  } catch (const InvalidInput& error) {
    return error.what();
  }
  return "";
}

}  // namespace rigor::test
