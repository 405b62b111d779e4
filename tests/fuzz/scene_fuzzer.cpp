// libFuzzer target for the scene reader. Whatever the bytes are, reading ends with a scene or with
// InvalidDocument; a scene that was read can be written, reads back, and is written the same, byte for byte.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "rigor/io/scene_reader.hpp"
#include "rigor/io/scene_writer.hpp"

namespace {

// Small limits: what is beyond them is tried by tests/tools/hostile_scenes_test.cpp, one by one.
rigor::SceneReadOptions small_limits() {
  rigor::SceneReadOptions options;
  options.limits.max_elements = 200;
  options.limits.max_values = 10'000;
  return options;
}

[[noreturn]] void fail(const char* what, const std::string& once, const std::string& twice) {
  std::fprintf(stderr, "%s\n--- first\n%s\n--- second\n%s\n", what, once.c_str(), twice.c_str());
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const rigor::SceneReadOptions kOptions = small_limits();
  std::string once;
  try {
    once = rigor::write_scene(
        rigor::parse_scene({reinterpret_cast<const char*>(data), size}, "input", kOptions));
  } catch (const rigor::InvalidDocument& error) {
    if (error.diagnostics().empty() || std::string(error.what()).empty()) std::abort();
    return 0;
  }
  try {
    const std::string twice = rigor::write_scene(rigor::parse_scene(once, "once", kOptions));
    if (once != twice) fail("written twice, not the same", once, twice);
  } catch (const rigor::InvalidDocument& error) {
    fail("what was written does not read back", once, error.what());
  }
  return 0;
}
