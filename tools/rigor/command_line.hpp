#pragma once

namespace rigor {

/// Understands the words of a call and runs the command; returns an exit status. Bad input is thrown.
int run_command_line(int argc, char** argv);

}  // namespace rigor
