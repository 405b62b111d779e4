#include <fmt/format.h>

#include <map>

#include "tools/rigor/command_line.hpp"

namespace rigor {
namespace {

// The words that may follow a command: its options, and the values of those that have a fixed set.
std::string words_after(const CLI::App& command) {
  std::string words;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) words += " --" + name;
    for (const std::string& name : option->get_snames()) words += " -" + name;
  }
  if (command.get_name() == "list") words += " scenes formulations solvers joints shapes constraints limits";
  if (command.get_name() == "completion") words += " bash zsh fish";
  return words.empty() ? words : words.substr(1);
}

bool takes_scene(const CLI::App& command) {
  return command.get_option_no_throw("SCENE") != nullptr;
}

std::string bash_script(CLI::App& app) {
  std::string names, cases;
  for (const CLI::App* command : commands_of(app)) {
    names += (names.empty() ? "" : " ") + command->get_name();
    cases += fmt::format("    {}) words=\"{}\"{} ;;\n", command->get_name(), words_after(*command),
                         takes_scene(*command) ? " files=yes" : "");
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

std::string zsh_script(CLI::App& app) {
  return "#compdef rigor\nautoload -U +X bashcompinit && bashcompinit\n" + bash_script(app);
}

std::string fish_script(CLI::App& app) {
  std::string text =
      "# fish completion for rigor\ncomplete -c rigor -n __fish_use_subcommand -l help -l version\n";
  for (const CLI::App* command : commands_of(app)) {
    const std::string& name = command->get_name();
    text += fmt::format("complete -c rigor -f -n __fish_use_subcommand -a {} -d '{}'\n", name,
                        command->get_description());
    text += fmt::format("complete -c rigor {}-n '__fish_seen_subcommand_from {}' -a '{}'\n",
                        takes_scene(*command) ? "" : "-f ", name, words_after(*command));
  }
  return text;
}

}  // namespace

void add_completion(CLI::App& app, int&) {
  CLI::App& command = add_command(app, "completion", "Print the completion script for a shell",
                                  "source <(rigor completion bash)");
  auto shell = std::make_shared<std::string>();
  command.add_option("SHELL", *shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command.callback([&app, shell] {
    const std::string script = *shell == "bash"  ? bash_script(app)
                               : *shell == "zsh" ? zsh_script(app)
                                                 : fish_script(app);
    fmt::print("{}", script);
  });
}

}  // namespace rigor
