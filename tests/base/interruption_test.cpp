#include "rigor/base/interruption.hpp"

#include <gtest/gtest.h>

#include <csignal>

namespace rigor {
namespace {

TEST(Interruption, AskedForByASignalItEndsWorkUntilItIsForgotten) {
  EXPECT_FALSE(is_interrupted());
  EXPECT_NO_THROW(check_interruption());
  std::signal(SIGUSR1, [](int) { request_interruption(); });
  std::raise(SIGUSR1);
  EXPECT_TRUE(is_interrupted());
  EXPECT_THROW(check_interruption(), Cancelled);
  clear_interruption();
  EXPECT_NO_THROW(check_interruption());
}

}  // namespace
}  // namespace rigor
