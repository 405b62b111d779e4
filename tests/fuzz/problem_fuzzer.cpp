// libFuzzer target for problem files. Whatever the bytes are, reading ends with a problem or with
// InvalidDocument; a problem that was read is valid, can be written, reads back, and is written the same,
// byte for byte.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "rigor/base/diagnostic.hpp"
#include "rigor/io/problem_file.hpp"

namespace {

[[noreturn]] void fail(const char* what, const std::string& once, const std::string& twice) {
  std::fprintf(stderr, "%s\n--- first\n%s\n--- second\n%s\n", what, once.c_str(), twice.c_str());
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string once;
  try {
    const rigor::Problem problem = rigor::parse_problem({reinterpret_cast<const char*>(data), size}, "input");
    rigor::validate(problem);
    if (rigor::size_of(problem) > 300) return 0;  // long texts are only slow
    once = rigor::to_file_text(problem, "p.json");
  } catch (const rigor::InvalidDocument& error) {
    if (error.diagnostics().empty() || std::string(error.what()).empty()) std::abort();
    return 0;
  }
  try {
    const std::string twice = rigor::to_file_text(rigor::parse_problem(once, "once"), "p.json");
    if (once != twice) fail("written twice, not the same", once, twice);
  } catch (const rigor::InvalidInput& error) {
    fail("what was written does not read back", once, error.what());
  }
  return 0;
}
