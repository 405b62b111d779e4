#include <fmt/format.h>

#include <algorithm>

#include "tools/rigor/commands.hpp"
#include "tools/rigor/say.hpp"

namespace rigor {
namespace {

// The words that may follow a command: its options, and the values of an argument that has a fixed set.
std::string words_after(const CommandInfo& command) {
  std::string words;
  for (const OptionInfo& option : command.options)
    if (!option.is_argument) words += ' ' + option.names;
  std::replace(words.begin(), words.end(), ',', ' ');
  if (command.name == "list") words += fmt::format(" {}", fmt::join(list_topics(), " "));
  if (command.name == "solve") words += fmt::format(" {}", fmt::join(solver_names(), " "));
  if (command.name == "generate")
    words += fmt::format(" {} {}", fmt::join(generate_topics(), " "), fmt::join(lcp_class_names(), " "));
  if (command.name == "bench") words += fmt::format(" {}", fmt::join(bench_topics(), " "));
  if (command.name == "completion") words += " bash zsh fish";
  return words.empty() ? words : words.substr(1);
}

bool takes_file(const CommandInfo& command) {
  return std::any_of(command.options.begin(), command.options.end(), [](const OptionInfo& option) {
    return option.names == "SCENE" || option.names == "FILE";
  });
}

std::string bash_script(const std::vector<CommandInfo>& commands) {
  std::string names, cases;
  for (const CommandInfo& command : commands) {
    names += (names.empty() ? "" : " ") + command.name;
    cases += fmt::format("    {}) words=\"{}\"{} ;;\n", command.name, words_after(command),
                         takes_file(command) ? " files=yes" : "");
  }
  return fmt::format(R"(# bash completion for rigor; also used by zsh
_rigor() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} words="" files=""
  if [[ $COMP_CWORD -eq 1 ]]; then
    COMPREPLY=($(compgen -W "{} --help --version" -- "$word"))
    return
  fi
  case ${{COMP_WORDS[1]}} in
{}  esac
  COMPREPLY=($(compgen -W "$words" -- "$word"))
  if [[ $files == yes && $word != -* ]]; then COMPREPLY+=($(compgen -f -- "$word")); fi
}}
complete -o filenames -F _rigor rigor
)",
                     names, cases);
}

std::string zsh_script(const std::vector<CommandInfo>& commands) {
  return "#compdef rigor\nautoload -U +X bashcompinit && bashcompinit\n" + bash_script(commands);
}

std::string fish_script(const std::vector<CommandInfo>& commands) {
  std::string text =
      "# fish completion for rigor\ncomplete -c rigor -n __fish_use_subcommand -l help -l version\n";
  for (const CommandInfo& command : commands) {
    text += fmt::format("complete -c rigor -f -n __fish_use_subcommand -a {} -d '{}'\n", command.name,
                        command.description);
    text += fmt::format("complete -c rigor {}-n '__fish_seen_subcommand_from {}' -a '{}'\n",
                        takes_file(command) ? "" : "-f ", command.name, words_after(command));
  }
  return text;
}

}  // namespace

int run_completion(const std::string& shell, const std::vector<CommandInfo>& commands) {
  const auto script = shell == "bash" ? bash_script : shell == "zsh" ? zsh_script : fish_script;
  say("{}", script(commands));
  return kAnswered;
}

}  // namespace rigor
