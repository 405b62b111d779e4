#pragma once

#include <gtest/gtest.h>

#include "rigor/io/json.hpp"
#include "tests/support/run_program.hpp"

namespace rigor {

using testing_support::ProgramResult;
using testing_support::TemporaryFolder;

/// Calls the program in a folder of its own.
class ProgramTest : public testing::Test {
 protected:
  ProgramResult run(std::vector<std::string> words) const {
    words.insert(words.begin(), RIGOR_PROGRAM);
    return testing_support::run_program(words, folder_.path());
  }

  /// Standard output as JSON; it must hold one document and nothing else.
  static JsonValue json_of(const ProgramResult& result) {
    Sources sources;
    return parse_json(sources, sources.add("output", result.out));
  }

  TemporaryFolder folder_;
};

}  // namespace rigor
