// Says which of the engines that judge Rigor's dynamics were not there when the tests were built.
#include <gtest/gtest.h>

#ifndef RIGOR_HAVE_MUJOCO
TEST(MuJoCo, AgreesOnMassMatricesAndForwardDynamicsOfRandomForests) {
  GTEST_SKIP() << "MuJoCo is not installed (Debian: libmujoco-dev).";
}
#endif

#ifndef RIGOR_HAVE_SIMBODY
TEST(Simbody, AgreesOnMassMatricesAndForwardDynamicsOfRandomForests) {
  GTEST_SKIP() << "Simbody is not installed (Debian: libsimbody-dev).";
}
#endif
