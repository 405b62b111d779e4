#include <fmt/format.h>

#include "tools/rigor/commands.hpp"
#include "tools/rigor/say.hpp"

namespace rigor {
namespace {

// roff: a hyphen is written \-, a line must not begin with a dot.
std::string roff(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\')
      out += "\\e";
    else if (text[i] == '-')
      out += "\\-";
    else if ((text[i] == '.' || text[i] == '\'') && (i == 0 || text[i - 1] == '\n'))
      out += std::string("\\&") + text[i];
    else
      out += text[i];
  }
  return out;
}

std::string command_section(const CommandInfo& command) {
  std::string synopsis = "rigor " + command.name, options;
  for (const OptionInfo& option : command.options) {
    if (option.is_argument) synopsis += option.is_required ? " " + option.names : " [" + option.names + "]";
    options += fmt::format(".TP\n\\fB{}\\fR\n{}\n", roff(option.names), roff(option.description));
  }
  return fmt::format(".SS {}\n{}.\n.PP\n\\fB{}\\fR [options]\n{}.PP\nExample:\n.PP\n.EX\n{}\n.EE\n",
                     command.name, roff(command.description), roff(synopsis), options, roff(command.example));
}

}  // namespace

int run_manual(const std::vector<CommandInfo>& commands) {
  say(".TH RIGOR 1 \"\" \"rigor {}\" \"User commands\"\n.SH NAME\nrigor \\- rigid multibody systems with "
      "contact and "
      "friction\n.SH SYNOPSIS\n\\fBrigor\\fR \\fICOMMAND\\fR [arguments]\n.SH DESCRIPTION\n{}\n.SH "
      "COMMANDS\n",
      RIGOR_VERSION, roff(kProgramDescription));
  for (const CommandInfo& command : commands) say("{}", command_section(command));
  say(".SH EXIT STATUS\n.TP\n0\nThe question was answered, also when the answer is no.\n.TP\n1\nIt was not "
      "answered: "
      "undecided, not written, or interrupted.\n.TP\n2\nBad usage or bad input.\n"
      ".SH SEE ALSO\nThe scene format: \\fBrigor schema \\-\\-markdown\\fR.\n");
  return kAnswered;
}

}  // namespace rigor
