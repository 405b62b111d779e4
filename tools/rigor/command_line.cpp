#include "tools/rigor/command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "tools/rigor/commands.hpp"
#include "tools/rigor/say.hpp"

namespace rigor {
namespace {

// The words of a call, filled by the parser.
struct Arguments {
  SceneRequest request;
  RunRequest run;
  std::string output;
  std::string recording;
  std::vector<std::string> beside;
  std::string word;
  CompareRequest compare;
  ReproduceRequest reproduce;
  ViewRequest view;
  PictureRequest picture;
  SolveRequest solve;
  AnalyseRequest analyse;
  GenerateRequest generate;
  BenchRequest bench;
  bool flag{false};
  int status{kAnswered};
};

void add_changes(CLI::App& command, SceneRequest& request) {
  command.add_option("--set", request.set, "Change the scene before it is read: path=value (repeatable)")
      ->type_name("PATH=VALUE")
      ->take_all()
      ->expected(1)
      ->allow_extra_args(false);
  command.add_flag("--json", request.json, "Print one JSON document");
}

void add_scene(CLI::App& command, SceneRequest& request) {
  command.add_option("SCENE", request.scene, "Scene file, or the name of a scene of 'rigor list scenes'")
      ->required();
  add_changes(command, request);
}

void add_run_options(CLI::App& command, RunRequest& request) {
  command
      .add_option("--csv", request.csv,
                  "Write coordinates, poses, forces and energies over time to this file")
      ->type_name("FILE");
  command
      .add_option("--every", request.every,
                  "Time between rows or frames of the file [s]; by default at most 1000 of them")
      ->check(CLI::PositiveNumber);
  command.add_flag("--lead-matrix", request.lead_matrix,
                   "Report rank and condition of the steps' contact matrices");
  command
      .add_option("--on-unsolved", request.on_unsolved,
                  "A step that is not solved: stop the run, accept it as it is, or halve it")
      ->check(CLI::IsMember({"stop", "accept", "halve"}));
  command
      .add_option("--unsolved", request.unsolved,
                  "File for the contact problem that stopped the run, which 'rigor solve' reads")
      ->type_name("FILE")
      ->capture_default_str();
  command
      .add_option("--contact-problem", request.contact_problem,
                  "Write the largest contact problem of the last step, which 'rigor solve' reads")
      ->type_name("FILE");
  command
      .add_option("--acceleration-problem", request.acceleration_problem,
                  "Write the contact problem of the accelerations at the end, which 'rigor solve' reads")
      ->type_name("FILE");
  command
      .add_option("--threads", request.threads,
                  "Threads that share the islands of a step, 0 for all cores; changes no bit of the result")
      ->check(CLI::Range(0, 1024));
  command
      .add_option("--capture", request.capture,
                  "Folder for the contact problems of the hardest steps, FCLIB where they are cone problems")
      ->type_name("FOLDER");
  command.add_option("--capture-count", request.capture_count, "How many of them")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
}

// A command with its one-line description and its example, which --help and the man page show.
CLI::App& add_command(CLI::App& app, const std::string& name, const std::string& does,
                      const std::string& example) {
  CLI::App& command = *app.add_subcommand(name, does);
  command.footer("Example:\n  " + example);
  return command;
}

std::vector<CLI::App*> commands_of(CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

// The commands without the parser, for those that describe them.
std::vector<CommandInfo> describe_commands(CLI::App& app) {
  std::vector<CommandInfo> commands;
  for (const CLI::App* command : commands_of(app)) {
    const std::string footer = command->get_footer();
    CommandInfo& info = commands.emplace_back();
    info.name = command->get_name();
    info.description = command->get_description();
    info.example = footer.substr(footer.find('\n') + 3);
    for (const CLI::Option* option : command->get_options())
      info.options.push_back({option->get_name(false, true), option->get_description(),
                              option->get_positional(), option->get_required()});
  }
  return commands;
}

void add_demo(CLI::App& app, Arguments& a) {
  CLI::App& demo =
      add_command(app, "demo", "Run a built-in scene, and write it and a page that shows the run",
                  "rigor demo pinch --set parameters.mu=0.04");
  demo.add_option("NAME", a.run.scene.scene,
                  "demo, crates that fall; or pinch, a capsule between two fingers that does not creep")
      ->check(CLI::IsMember({"demo", "pinch"}));
  demo.add_option("-o,--output", a.output, "File to write the scene to; the page lies beside it")
      ->default_str("rigor-NAME.json");
  add_run_options(demo, a.run);
  add_changes(demo, a.run.scene);
  demo.callback([&a] {
    if (a.run.scene.scene.empty()) a.run.scene.scene = "demo";
    a.status = run_demo(a.run, a.output.empty() ? "rigor-" + a.run.scene.scene + ".json" : a.output);
  });
}

void add_run(CLI::App& app, Arguments& a) {
  CLI::App& run = add_command(app, "run", "Simulate a scene and print where it ends, with a certificate",
                              "rigor run peiret-box -o box.html --set run.until=2");
  add_scene(run, a.run.scene);
  run.add_option("-o,--output", a.run.output, "Show the run in a page (.html), or record it (.rec)")
      ->type_name("FILE");
  run.add_option("--checkpoint", a.run.checkpoint,
                 "Keep the whole state in the recording every so many seconds of the run: 'rigor resume' "
                 "goes on there")
      ->type_name("S")
      ->check(CLI::PositiveNumber);
  run.add_flag("--analyse", a.run.analyse,
               "Say first whether the scene can stay at rest or stick, and what friction that takes; on the "
               "page too");
  add_run_options(run, a.run);
  run.callback([&a] { a.status = run_run(a.run); });
}

void add_compare(CLI::App& app, Arguments& a) {
  CLI::App& compare = add_command(
      app, "compare", "Run a scene with several formulations, steps, solvers and parameters, side by side",
      "rigor compare peiret-box --formulations cone,phantom,box --dt 0.01,0.001 -o paths.svg");
  add_scene(compare, a.compare.scene);
  compare.get_option("--set")->description(
      "Change a value of the scene: path=value; path=a,b,c compares these values");
  compare
      .add_option("--formulations", a.compare.formulations,
                  "Some of 'rigor list formulations', with commas between them; all where absent")
      ->delimiter(',')
      ->check(CLI::IsMember(formulation_names()));
  compare
      .add_option("--dt", a.compare.steps,
                  "Time steps [s], with commas between them; the scene's where absent")
      ->delimiter(',')
      ->check(CLI::Range(1e-9, 1.0));
  compare.add_option("--solvers", a.compare.solvers, "Some of 'rigor list solvers'; auto where absent")
      ->delimiter(',')
      ->check(CLI::IsMember(solver_names()));
  compare
      .add_option("-o,--output", a.compare.output,
                  "File: .html shows the runs side by side, .svg the paths of the body that goes farthest")
      ->type_name("FILE");
  compare.callback([&a] { a.status = run_compare(a.compare); });
}

void add_reproduce(CLI::App& app, Arguments& a) {
  CLI::App& reproduce =
      add_command(app, "reproduce", "Run the examples of the papers that Rigor reproduces, and judge them",
                  "rigor reproduce peiret-box -o plots");
  reproduce.add_option("NAME", a.reproduce.name, "One of them; all where absent")
      ->check(CLI::IsMember(reproduction_names()));
  reproduce.add_option("-o,--output", a.reproduce.output, "Folder for their plots (SVG) and tables (CSV)");
  reproduce.add_option("--set", a.reproduce.set, "Change a value of their scenes: path=value");
  reproduce.add_flag("--list", a.reproduce.list, "Say what there is, run nothing");
  reproduce.add_flag("--json", a.reproduce.json, "Print one JSON document");
  reproduce.callback([&a] { a.status = run_reproduce(a.reproduce); });
}

void add_check(CLI::App& app, Arguments& a) {
  CLI::App& check = add_command(app, "check", "Say what a scene contains, or what is wrong with it",
                                "rigor check scene.json --set run.dt=0.002");
  add_scene(check, a.request);
  check.callback([&a] { a.status = run_check(a.request); });
}

void add_convert(CLI::App& app, Arguments& a) {
  CLI::App& convert =
      add_command(app, "convert", "Write a scene with includes, repeats, defaults and expressions resolved",
                  "rigor convert pile.json flat.json --set parameters.rows=3");
  add_scene(convert, a.request);
  convert.add_option("OUTPUT", a.output, "File to write, - for standard output")->required();
  convert.callback([&a] { a.status = run_convert(a.request, a.output); });
}

void add_scene_commands(CLI::App& app, Arguments& a) {
  add_demo(app, a);
  add_run(app, a);
  add_compare(app, a);
  add_reproduce(app, a);
  add_check(app, a);
  add_convert(app, a);
}

void add_recording_commands(CLI::App& app, Arguments& a) {
  const auto add_recording = [&a](CLI::App& command) {
    command.add_option("RECORDING", a.recording, "File that 'rigor run -o' wrote")->required();
    command.add_flag("--json", a.request.json, "Print one JSON document");
  };
  CLI::App& resume =
      add_command(app, "resume", "Go on with a recorded run that was interrupted, from its last checkpoint",
                  "rigor resume run.rec");
  add_recording(resume);
  resume.callback([&a] { a.status = run_resume(a.recording, a.request.json); });

  CLI::App& replay =
      add_command(app, "replay", "Say what a recording holds; with --verify run it again and compare",
                  "rigor replay --verify run.rec");
  add_recording(replay);
  replay.add_flag("--verify", a.flag,
                  "Run the scene again and compare the state at every frame, bit for bit");
  replay.callback([&a] { a.status = run_replay(a.recording, a.flag, a.request.json); });

  CLI::App& convert =
      add_command(app, "export", "Write a recording as a page, a table, or arrays for other programs",
                  "rigor export run.rec run.npz");
  add_recording(convert);
  convert.add_option("OUTPUT", a.output, "File to write: .html (a page), .csv, .npz (numpy) or .h5 (HDF5)")
      ->required();
  convert.add_option("--beside", a.beside, "Another recording, on the same page and clock (repeatable)")
      ->type_name("RECORDING")
      ->take_all()
      ->expected(1)
      ->allow_extra_args(false);
  convert.callback([&a] { a.status = run_export(a.recording, a.beside, a.output, a.request.json); });
}

void add_viewing_commands(CLI::App& app, Arguments& a) {
  CLI::App& view =
      add_command(app, "view", "Serve the page of a run to this computer's browser while it goes on",
                  "rigor view peiret-box --control");
  view.add_option("SCENE", a.view.scene.scene, "Scene file or name, or a recording (.rec)")->required();
  add_changes(view, a.view.scene);
  view.add_option("--port", a.view.port, "Port at 127.0.0.1 and ::1; any free one where absent");
  view.add_flag("--control", a.view.control, "Let the page pause, step and reset the run");
  view.add_flag("--fast", a.view.fast, "As fast as the computer can, not as the clock on the wall");
  view.add_option("--every", a.view.every, "Time between frames [s]; by default sixty a second")
      ->check(CLI::PositiveNumber);
  view.callback([&a] { a.status = run_view(a.view); });

  const auto add_picture = [&a](CLI::App& command, const char* output) {
    command.add_option("RECORDING", a.picture.recording, "File that 'rigor run -o' wrote")->required();
    command.add_option("OUTPUT", a.picture.output, output)->required();
    command.add_option("--width", a.picture.width, "Pixels")
        ->check(CLI::Range(64, 7680))
        ->capture_default_str();
    command.add_option("--height", a.picture.height, "Pixels")
        ->check(CLI::Range(64, 4320))
        ->capture_default_str();
    command.add_flag("--dark", a.picture.dark, "Dark instead of light");
    command.add_flag("--json", a.picture.json, "Print one JSON document");
  };
  CLI::App& shot = add_command(app, "shot", "Make a picture of a moment of a recording, by Chromium",
                               "rigor shot run.rec moment.png --time 0.4");
  add_picture(shot, "File to write, .png");
  shot.add_flag("--page", a.picture.page, "The whole page with its plots, not the scene alone");
  shot.add_option("--time", a.picture.time, "Which moment [s]; the end where absent");
  shot.callback([&a] { a.status = run_shot(a.picture); });

  CLI::App& video = add_command(app, "video", "Make a video of a recording, by Chromium and ffmpeg",
                                "rigor video run.rec run.mp4 --speed 0.25");
  add_picture(video, "File to write, .mp4");
  video.add_option("--rate", a.picture.rate, "Pictures a second")
      ->check(CLI::Range(1.0, 240.0))
      ->capture_default_str();
  video.add_option("--speed", a.picture.speed, "Seconds of the run in a second of the video")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  video.callback([&a] { a.status = run_video(a.picture); });
}

void add_analyse(CLI::App& app, Arguments& a) {
  CLI::App& analyse =
      add_command(app, "analyse", "Does it hold, is it unique, and what is the least friction? With proofs",
                  "rigor analyse brogliato-hand --object ball --load ball=0,0,-1 -o hand.html");
  analyse
      .add_option("SCENE", a.analyse.scene.scene,
                  "Scene file or name of a scene, or a problem as plain matrices (JSON with rigor_problem)")
      ->required();
  add_changes(analyse, a.analyse.scene);
  analyse.add_option("--contact", a.analyse.contacts, "Only contacts between these two bodies (repeatable)")
      ->type_name("A/B");
  analyse
      .add_option("--write-problem", a.analyse.write_problem,
                  "Write the scene as a problem of plain matrices")
      ->type_name("FILE");
  analyse.add_flag("--tilt", a.analyse.tilt,
                   "How far gravity may tilt towards x and y before something gives");
  analyse.add_option("--tilt-towards", a.analyse.towards, "The same towards a direction (repeatable)")
      ->type_name("X,Y,Z");
  analyse
      .add_option("--load", a.analyse.loads,
                  "How often this force in N on a body's centre of mass may act besides (repeatable)")
      ->type_name("BODY=FX,FY,FZ");
  analyse.add_option("--object", a.analyse.object, "Form and force closure of the grasp of this body")
      ->type_name("BODY");
  analyse
      .add_option("-o,--output", a.analyse.page,
                  "Show forces in their cones, or the motion that proves \"no\", in a page (.html)")
      ->type_name("FILE");
  analyse
      .add_option("--facets", a.analyse.facets,
                  "Also with polygons of so many corners in and around the cones")
      ->check(CLI::Range(3, 256));
  analyse
      .add_option("--coordinates", a.analyse.coordinates,
                  "joint, or natural: points and vectors with a constant, possibly singular mass matrix")
      ->check(CLI::IsMember({"joint", "natural"}))
      ->capture_default_str();
  analyse
      .add_option(
          "--free", a.analyse.free,
          "A coordinate that a force may push, to find the least forces that make all stick (repeatable)")
      ->type_name("NAME[:MIN:MAX]");
  analyse
      .add_option("--keep", a.analyse.keep, "N of normal force to spare at every contact with those forces")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  analyse.callback([&a] { a.status = run_analyse(a.analyse); });
}

void add_solve(CLI::App& app, Arguments& a) {
  CLI::App& solve = add_command(app, "solve", "Solve a complementarity problem and certify the answer",
                                "rigor solve problem.json --solver lemke --tolerance 1e-12");
  solve
      .add_option("FILE", a.solve.file,
                  "Problem: JSON, FCLIB (.hdf5), or the text formats of LCPs and mixed LCPs")
      ->required();
  solve
      .add_option("--solver,--method", a.solve.solver,
                  "Method, one of 'rigor list solvers', for cone problems of 'rigor list cone-solvers'")
      ->check(CLI::IsMember(solver_names()));
  solve.add_option("--tolerance", a.solve.tolerance, "Accept a solution by this residual");
  solve
      .add_option(
          "--work", a.solve.work,
          "Multiplications that a method may take, counted, so that it ends at the same place everywhere")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  solve.add_flag("--compare", a.solve.compare, "Every method, side by side");
  solve.add_flag("--all", a.solve.all, "List all solutions of a small problem");
  solve.add_flag("--classes", a.solve.classes, "Report the class of the matrix and what it guarantees");
  solve.add_flag("--explain", a.solve.explain,
                 "Which methods were tried on a cone problem, in their order, with iterations and time");
  solve.add_flag("--plain", a.solve.plain, "Forget the contact structure of a friction problem");
  solve
      .add_option(
          "--factors", a.solve.factors,
          "Who factors sparse symmetric systems of cone problems (admm): eigen, or cholmod where built in")
      ->check(CLI::IsMember({"eigen", "cholmod"}));
  solve.add_option("-o,--output", a.solve.output,
                   "Write the problem: cone problems to *.hdf5 (FCLIB) with their answer, any to *.json");
  solve.add_flag("--json", a.solve.json, "Print one JSON document");
  solve.callback([&a] { a.status = run_solve(a.solve); });
}

void add_generate(CLI::App& app, Arguments& a) {
  CLI::App& generate =
      add_command(app, "generate", "Write a problem: a random LCP, friction, a pile of balls",
                  "rigor generate cannonball --rows 6 --mu 0.2 -o pile.json");
  generate.add_option("WHAT", a.generate.what, fmt::format("{}", fmt::join(generate_topics(), ", ")))
      ->required()
      ->check(CLI::IsMember(generate_topics()));
  generate
      .add_option("--class", a.generate.lcp_class, fmt::format("lcp: {}", fmt::join(lcp_class_names(), ", ")))
      ->check(CLI::IsMember(lcp_class_names()));
  generate.add_option("--size", a.generate.size, "lcp, friction: number of unknowns");
  generate.add_option("--seed", a.generate.seed, "lcp, friction: another seed, another problem");
  generate.add_option("--rows", a.generate.rows, "cannonball: rows of disks");
  generate.add_option("--mu", a.generate.mu, "cannonball: coefficient of friction");
  generate.add_option("--step", a.generate.step, "cannonball: time step in s");
  generate.add_flag("--plain", a.generate.plain, "Write the LCP without its contact structure");
  generate.add_option("-o,--output", a.generate.output,
                      "File to write, .dat in the text format; - is standard output");
  generate.add_flag("--json", a.generate.json, "Print one JSON document");
  generate.callback([&a] { a.status = run_generate(a.generate); });
}

void add_bench(CLI::App& app, Arguments& a) {
  CLI::App& bench =
      add_command(app, "bench", "Put the solvers to a test", "rigor bench problems fc3d --tolerance 1e-8");
  bench
      .add_option(
          "WHAT", a.bench.what,
          "truth: random problems of known classes, every claim checked; problems: the files of folders, "
          "solved to three tolerances")
      ->required()
      ->check(CLI::IsMember(bench_topics()));
  bench.add_option("PATH", a.bench.paths, "problems: files and folders of FCLIB problems (.hdf5)");
  bench.add_option("--tolerance", a.bench.tolerances,
                   "problems: residuals to reach, default 1e-4 1e-8 1e-12");
  bench.add_option("--solver,--method", a.bench.solver, "problems: one of 'rigor list cone-solvers'");
  bench.add_option("--perturb", a.bench.perturb, "problems: this many perturbed copies of each file as well");
  bench.add_option("--repeat", a.bench.repeat, "problems: each time is the least of this many solves");
  bench.add_option("--count", a.bench.count, "truth: number of problems");
  bench.add_option("--seed", a.bench.seed, "Another seed, other problems");
  bench.add_flag("--json", a.bench.json, "Print one JSON document");
  bench.callback([&a] { a.status = run_bench(a.bench); });
}

void add_problem_commands(CLI::App& app, Arguments& a) {
  add_analyse(app, a);
  add_solve(app, a);
  add_generate(app, a);
  add_bench(app, a);
}

void add_describing_commands(CLI::App& app, Arguments& a) {
  CLI::App& schema = add_command(app, "schema", "Print the JSON Schema of scene files, for editors",
                                 "rigor schema > rigor.schema.json");
  schema.add_flag("--markdown", a.flag, "Print the reference page of the format instead");
  schema.add_flag("--json", a.request.json, "Print JSON, which the schema is anyway")->excludes("--markdown");
  schema.callback([&a] { a.status = run_schema(a.flag); });

  const std::vector<std::string> topics = list_topics();
  CLI::App& list = add_command(app, "list", fmt::format("Show what there is: {}", fmt::join(topics, ", ")),
                               "rigor list scenes");
  list.add_option("WHAT", a.word, "One of them; all where absent")->check(CLI::IsMember(topics));
  list.add_flag("--json", a.request.json, "Print one JSON document");
  list.callback([&a] { a.status = run_list(a.word, a.request.json); });

  CLI::App& completion = add_command(app, "completion", "Print the completion script for a shell",
                                     "source <(rigor completion bash)");
  completion.add_option("SHELL", a.word, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  completion.callback([&app, &a] { a.status = run_completion(a.word, describe_commands(app)); });

  CLI::App& manual = add_command(app, "man", "Print the manual page", "rigor man | man -l -");
  manual.callback([&app, &a] { a.status = run_manual(describe_commands(app)); });
}

// The message of a wrong call, in one sentence, with the command that was perhaps meant.
int report_usage(CLI::App& app, const CLI::Error& error, int argc, char** argv) {
  std::string message = error.what();
  std::string help = "rigor --help";
  if (const auto chosen = app.get_subcommands(); !chosen.empty()) {
    help = "rigor " + chosen.front()->get_name() + " --help";
  } else if (argc > 1 && argv[1][0] != '-') {
    std::vector<std::string> names;
    for (const CLI::App* command : commands_of(app)) names.push_back(command->get_name());
    const std::string similar = find_similar(argv[1], names);
    message = fmt::format("'{}' is not a command.{}", argv[1],
                          similar.empty() ? "" : fmt::format(" Did you mean '{}'?", similar));
  }
  complain("rigor: {}{} See {}.\n", message, message.ends_with('.') || message.ends_with('?') ? "" : ".",
           help);
  return kBadInput;
}

}  // namespace

int run_command_line(int argc, char** argv) {
  CLI::App app(kProgramDescription, "rigor");
  app.footer("'rigor COMMAND --help' shows a command's options and an example.");
  app.set_version_flag("--version", "rigor " RIGOR_VERSION);
  app.set_help_flag("-h,--help", "Print this help and exit");
  app.require_subcommand(1);
  app.failure_message(CLI::FailureMessage::simple);
  Arguments arguments;
  add_scene_commands(app, arguments);
  add_recording_commands(app, arguments);
  add_viewing_commands(app, arguments);
  add_problem_commands(app, arguments);
  add_describing_commands(app, arguments);

  if (argc == 1) {
    complain("{}", app.help());
    return kBadInput;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {  // --help, --version
    return app.exit(success);
  } catch (const CLI::Error& error) {
    return report_usage(app, error, argc, argv);
  }
  return arguments.status;
}

}  // namespace rigor
