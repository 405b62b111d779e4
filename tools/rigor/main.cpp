#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string_view>

#include "tools/rigor/command_line.hpp"
#include "tools/rigor/commands.hpp"
#include "tools/rigor/say.hpp"
#include "tools/rigor/terminal.hpp"

namespace {

bool wants_json(int argc, char** argv) {
  return std::any_of(argv, argv + argc, [](const char* word) { return std::string_view(word) == "--json"; });
}

}  // namespace

int main(int argc, char** argv) {
  using namespace rigor;
  catch_interrupts();
  int status = kNotAnswered;
  try {
    status = run_command_line(argc, argv);
  } catch (const InvalidDocument& error) {
    if (wants_json(argc, argv)) {
      JsonValue value{JsonValue::Object{}};
      value.add("errors", errors_to_json(error.diagnostics()));
      print_json(value);
    }
    complain("{}\n", error.what());
    status = kBadInput;
  } catch (const InvalidInput& error) {
    complain("rigor: {}\n", error.what());
    status = kBadInput;
  } catch (const Cancelled&) {
    complain("rigor: interrupted; nothing was written.\n");
  } catch (const std::bad_alloc&) {
    complain("rigor: out of memory; nothing was written.\n");
  } catch (const std::exception& error) {
    complain("rigor: {}\n", error.what());
  }
  // a full disk or a closed pipe shows only here
  if (std::fflush(stdout) != 0 && output_error == 0) output_error = errno;
  if (output_error != 0) {
    complain("rigor: standard output cannot be written ({}).\n", std::strerror(output_error));
    status = kNotAnswered;
  }
  return status;
}
