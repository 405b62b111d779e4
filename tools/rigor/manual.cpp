#include <fmt/format.h>

#include "tools/rigor/command_line.hpp"

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

std::string command_section(const CLI::App& command) {
  std::string synopsis = "rigor " + command.get_name(), options;
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_positional()) {
      const std::string name = option->get_name(true);
      synopsis += option->get_required() ? " " + name : " [" + name + "]";
    }
    options += fmt::format(".TP\n\\fB{}\\fR\n{}\n", roff(option->get_name(false, true)),
                           roff(option->get_description()));
  }
  std::string footer = command.get_footer();
  if (const std::size_t line = footer.find('\n'); line != std::string::npos) footer = footer.substr(line + 1);
  return fmt::format(".SS {}\n{}.\n.PP\n\\fB{}\\fR [options]\n{}.PP\nExample:\n.PP\n.EX\n{}\n.EE\n",
                     command.get_name(), roff(command.get_description()), roff(synopsis), options,
                     roff(footer));
}

std::string manual(CLI::App& app) {
  std::string text = fmt::format(
      ".TH RIGOR 1 \"\" \"rigor {}\" \"User commands\"\n.SH NAME\nrigor \\- {}\n.SH SYNOPSIS\n\\fBrigor\\fR "
      "\\fICOMMAND\\fR [arguments]\n.SH DESCRIPTION\n{}\n.SH COMMANDS\n",
      RIGOR_VERSION, "rigid multibody systems with contact and friction", roff(app.get_description()));
  for (const CLI::App* command : commands_of(app)) text += command_section(*command);
  text +=
      ".SH EXIT STATUS\n.TP\n0\nThe question was answered, also when the answer is no.\n.TP\n1\nIt was not "
      "answered: "
      "undecided, not written, or interrupted.\n.TP\n2\nBad usage or bad input.\n"
      ".SH SEE ALSO\nThe scene format: \\fBrigor schema \\-\\-markdown\\fR.\n";
  return text;
}

}  // namespace

void add_manual(CLI::App& app, int&) {
  CLI::App& command = add_command(app, "man", "Print the manual page", "rigor man | man -l -");
  command.callback([&app] { fmt::print("{}", manual(app)); });
}

}  // namespace rigor
