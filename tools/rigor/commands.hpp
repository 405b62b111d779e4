#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rigor/io/json.hpp"
#include "rigor/io/scene_reader.hpp"

/// What the program can do: one function a command, one file a function. How they are called, options and
/// help, is command_line.cpp's business, the only file that knows the option parser.
namespace rigor {

/// Exit statuses of every command.
enum ExitStatus : int {
  kAnswered = 0,     // also when the answer is "no"
  kNotAnswered = 1,  // undecided, not written, interrupted
  kBadInput = 2      // bad usage or bad input
};

/// A scene as the user asks for it: a file or the name of an embedded scene, with changes.
struct SceneRequest {
  std::string scene;
  std::vector<std::string> set;
  bool json{false};
  bool drops_unused_settings{false};  // see SceneReadOptions

  /// Reads the scene with a progress line; Ctrl-C ends the reading with Cancelled.
  [[nodiscard]] Scene load() const;
};

/// A run as the user asks for it.
struct RunRequest {
  SceneRequest scene;
  std::string csv;                        // file for the table; none where empty
  std::string output;                     // page or recording; none where empty
  double every{0.0};                      // s between rows or frames; 0: as many as are useful
  double checkpoint{0.0};                 // s between the states that `rigor resume` goes on from; 0: none
  bool lead_matrix{false};                // report rank and condition of the steps' matrices
  std::string on_unsolved;                // word of run.on_unsolved; the scene's where empty
  std::string unsolved{"unsolved.json"};  // file for the problem that stopped the run
  std::string contact_problem;            // file for the largest contact problem of the last step
  std::string acceleration_problem;       // file for that of the accelerations at the end
  int threads{-1};                        // run.threads; the scene's where negative
  std::string capture;                    // folder for the problems of the hardest steps; none where empty
  int capture_count{10};                  // how many of them
  bool analyse{false};                    // say first whether the scene can rest or stick; on the page too
};

/// `rigor compare`.
struct CompareRequest {
  SceneRequest scene;  // its `set` may have several values after a '=': a sweep
  std::vector<std::string> formulations, solvers;
  std::vector<double> steps;  // s
  std::string output;         // .svg of the paths or .html of the runs; none where empty
};

/// `rigor view`.
struct ViewRequest {
  SceneRequest scene;     // or a recording
  std::uint16_t port{0};  // 0: any that is free
  bool control{false};    // the page may pause, step and reset the run
  bool fast{false};       // as fast as the computer can
  double every{0.0};      // s between frames; 0: sixty a second
};

/// `rigor shot` and `rigor video`.
struct PictureRequest {
  std::string recording, output;
  std::optional<double> time;  // s, of a shot; the end where absent
  int width{1280}, height{720};
  double rate{30.0};  // pictures a second of a video
  double speed{1.0};  // s of the run in a second of a video
  bool dark{false};
  bool page{false};  // the whole page, not the scene alone
  bool json{false};
};

/// `rigor reproduce`.
struct ReproduceRequest {
  std::string name;              // one of reproduction_names(); all where empty
  std::vector<std::string> set;  // changes to their scenes
  std::string output;            // folder for plots and tables; none where empty
  bool list{false};
  bool json{false};
};

/// `rigor solve`.
struct SolveRequest {
  std::string file;
  std::string solver{"auto"};
  double tolerance{1e-10};
  bool compare{false};  // every method, side by side
  bool all{false};      // list all solutions of a small problem
  bool classes{false};  // report the class of the matrix
  bool plain{false};    // forget the contact structure
  bool explain{false};  // which methods were tried, with iterations and time
  bool json{false};
  std::string factors{"eigen"};  // who factors sparse symmetric systems
  double work{2e11};             // multiplications that a method may take (base/work.hpp)
  std::string output;  // file for the problem, with its answer where that is FCLIB; none where empty
};

/// `rigor analyse`.
struct AnalyseRequest {
  SceneRequest scene;                 // or a problem as plain matrices
  std::vector<std::string> contacts;  // pairs of bodies, "a/b"; all closed contacts where empty
  std::string write_problem;          // file for the problem that the scene is; none where empty
  bool tilt{false};                   // towards ±x and ±y
  std::vector<std::string> towards;   // "x,y,z": tilts towards these
  std::vector<std::string> loads;     // "body=fx,fy,fz"
  std::string object;                 // whose grasp is asked about; none where empty
  int facets{0};                      // sides of the polygons in and around the cones; 0: none
  std::string coordinates{"joint"};   // or "natural"
  std::vector<std::string> free;      // coordinates that forces may push: NAME or NAME:MIN:MAX
  double keep{0.0};                   // N: normal force to spare at every contact with those forces
  std::string page;                   // .html; none where empty
};

/// `rigor generate`.
struct GenerateRequest {
  std::string what;
  std::string lcp_class{"p"};
  int size{10};
  std::uint64_t seed{1};
  int rows{4};
  double mu{0.2};
  double step{0.05};  // s
  bool plain{false};  // without the contact structure
  std::string output{"-"};
  bool json{false};
};

/// `rigor bench`.
struct BenchRequest {
  std::string what;
  std::vector<std::string> paths;  // problems: files and folders
  std::vector<double> tolerances{1e-4, 1e-8, 1e-12};
  std::string solver{"auto"};
  int perturb{0};
  int repeat{3};
  std::int64_t count{1'000'000};
  std::uint64_t seed{1};
  bool json{false};
};

/// A command as help, man page and completion show it.
struct OptionInfo {
  std::string names;  // "-o,--output", or "SCENE" for an argument
  std::string description;
  bool is_argument{false};
  bool is_required{false};
};
struct CommandInfo {
  std::string name;
  std::string description;
  std::string example;
  std::vector<OptionInfo> options;
};

// Each returns an exit status.
int run_check(const SceneRequest& request);
int run_convert(const SceneRequest& request, const std::string& output);
/// The scene's name is demo, or pinch: that one is analysed as well.
int run_demo(const RunRequest& request, const std::string& output);
int run_run(const RunRequest& request);
int run_compare(const CompareRequest& request);
int run_resume(const std::string& recording, bool json);
int run_replay(const std::string& recording, bool verify, bool json);
int run_export(const std::string& recording, const std::vector<std::string>& beside,
               const std::string& output, bool json);
int run_view(const ViewRequest& request);
int run_shot(const PictureRequest& request);
int run_video(const PictureRequest& request);
int run_reproduce(const ReproduceRequest& request);
int run_list(const std::string& what, bool json);
int run_schema(bool markdown);
int run_analyse(const AnalyseRequest& request);
int run_solve(const SolveRequest& request);
int run_generate(const GenerateRequest& request);
int run_bench(const BenchRequest& request);
int run_bench_problems(const BenchRequest& request);
int run_completion(const std::string& shell, const std::vector<CommandInfo>& commands);
int run_manual(const std::vector<CommandInfo>& commands);

/// Steps the scene to its end and prints what came out; see run_run().
int simulate_and_report(const Scene& scene, const RunRequest& request);

/// What `rigor reproduce` knows, by name.
[[nodiscard]] std::vector<std::string> reproduction_names();

/// What `rigor list` can be asked for.
[[nodiscard]] std::vector<std::string> list_topics();

/// What `rigor generate` and `rigor bench` can be asked for, and the names that take a fixed set of values.
[[nodiscard]] std::vector<std::string> generate_topics();
[[nodiscard]] std::vector<std::string> bench_topics();
[[nodiscard]] std::vector<std::string> lcp_class_names();
[[nodiscard]] std::vector<std::string> solver_names();
[[nodiscard]] std::vector<std::string> formulation_names();

/// Diagnostics as the "errors" of --json.
[[nodiscard]] JsonValue errors_to_json(const std::vector<Diagnostic>& diagnostics);

/// Prints one JSON document on standard output.
void print_json(const JsonValue& value);

/// One line of the program's description, for help and man page.
inline constexpr const char* kProgramDescription =
    "Rigid multibody systems with contact, impact and Coulomb friction: exact steps, each with a "
    "certificate.";

}  // namespace rigor
