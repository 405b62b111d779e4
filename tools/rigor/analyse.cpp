#include <fmt/format.h>

#include <charconv>
#include <filesystem>

#include "rigor/analysis/natural_coordinates.hpp"
#include "rigor/dynamics/assembly.hpp"
#include "rigor/io/acceleration_json.hpp"
#include "rigor/io/source_text.hpp"
#include "tools/rigor/analyse_details.hpp"
#include "tools/rigor/analyse_output.hpp"
#include "tools/rigor/analysis_page.hpp"
#include "tools/rigor/commands.hpp"
#include "tools/rigor/embedded_scenes.hpp"
#include "tools/rigor/page.hpp"
#include "tools/rigor/say.hpp"
#include "tools/rigor/scene_answers_output.hpp"
#include "tools/rigor/terminal.hpp"

namespace rigor {
namespace {

constexpr std::size_t kMaxBytes = 256'000'000;
constexpr std::size_t kMaxCoordinates = 1000;  // their matrices are dense: seconds at 300, minutes at 1000
constexpr std::size_t kMaxContacts = 2000;
constexpr std::size_t kManyCoordinates = 300;

// Says before anything large is made whether it is too large.
void check_size(std::size_t coordinates, std::size_t contacts) {
  require(
      coordinates <= kMaxCoordinates && contacts <= kMaxContacts,
      "analyse: {} coordinates and {} contacts, at most {} and {}: the matrices of all bodies together are "
      "dense. Take fewer bodies (--set), or 'rigor run', whose certificate judges each group that touches "
      "by itself.",
      coordinates, contacts, kMaxCoordinates, kMaxContacts);
  if (coordinates > kManyCoordinates)
    fmt::print(stderr, "analysing {} coordinates: this may take minutes; Ctrl-C ends it\n", coordinates);
}

// A problem as plain matrices is told from a scene by its key "rigor_problem".
bool is_problem_file(const std::string& name) {
  if (find_acceleration_text(name)) return true;
  std::error_code error;
  if (!std::filesystem::is_regular_file(name, error)) return false;
  return is_acceleration_json(read_text_file(name, kMaxBytes));
}

// "1,0,-2.5", not zero.
Eigen::Vector3d parse_direction(const char* option, const std::string& given, std::string_view text) {
  Eigen::Vector3d value;
  const char* at = text.data();
  const char* const end = at + text.size();
  bool is_good = true;
  for (int k = 0; k < 3 && is_good; ++k) {
    const auto [next, error] = std::from_chars(at, end, value[k]);
    is_good = error == std::errc() && (k < 2 ? next != end && *next == ',' : next == end);
    at = is_good && k < 2 ? next + 1 : next;
  }
  require(is_good && value.allFinite() && !value.isZero(),
          "{} {}: must have three numbers that are not all zero, as in 1,0,-0.5.", option, given);
  return value;
}

SceneAnswers answer(const AnalyseRequest& request, const Model& model, const State& state,
                    const SceneProblem& scene, const Analysis& analysis) {
  SceneAnswers answers;
  if (state.v.isZero(0.0)) answers.rest = find_rest(scene.problem, &analysis);
  std::vector<std::string> names;
  std::vector<Eigen::Vector3d> directions;
  if (request.tilt) {
    names = {"+x", "-x", "+y", "-y"};
    directions = {Eigen::Vector3d::UnitX(), -Eigen::Vector3d::UnitX(), Eigen::Vector3d::UnitY(),
                  -Eigen::Vector3d::UnitY()};
  }
  for (const std::string& text : request.towards) {
    names.push_back(text);
    directions.push_back(parse_direction("--tilt-towards", text, text));
  }
  if (analysis.closed.answer == Answer::kYes)
    for (std::size_t i = 0; i < names.size(); ++i)
      for (SceneTilt& tilt : find_scene_tilts(scene, {directions[i]}))
        answers.tilts.push_back({names[i], std::move(tilt)});
  for (const std::string& text : request.loads) {
    const std::size_t equals = text.find('=');
    require(equals != std::string::npos, "--load {}: must be BODY=FX,FY,FZ, as in crate=1,0,0.", text);
    const Eigen::Vector3d force = parse_direction("--load", text, std::string_view(text).substr(equals + 1));
    answers.loads.push_back(find_scene_load(model, state, scene, text.substr(0, equals), force));
  }
  if (!request.object.empty()) answers.grasp = find_grasp(model, state, scene, request.object);
  return answers;
}

// The forces that may be chosen, on the coordinates that the scene or the file has.
void add_free_directions(const AnalyseRequest& request, SceneProblem& scene) {
  std::vector<std::string> names = scene.coordinates;
  if (names.empty())
    for (Eigen::Index k = 0; k < scene.problem.size(); ++k) names.push_back(fmt::format("q[{}]", k));
  for (const std::string& text : request.free)
    scene.problem.actuators.push_back(parse_free_direction(text, names));
}

// What a question is about; only the problem where it was given as plain matrices.
struct AnalysedScene {
  bool is_problem{false};
  Scene source;
  Model model;
  State state;
  SceneProblem joint;  // in the scene's own coordinates
};

AnalysedScene load_asked_problem(const AnalyseRequest& request) {
  require(request.scene.set.empty() && request.contacts.empty() && request.towards.empty() &&
              request.loads.empty() && request.object.empty() && !request.tilt && request.page.empty(),
          "--set, --contact, --tilt, --tilt-towards, --load, --object and -o ask about scenes; {} is a "
          "problem as plain matrices.",
          request.scene.scene);
  AnalysedScene asked;
  asked.is_problem = true;
  const std::string& name = request.scene.scene;
  const EmbeddedText* embedded = find_acceleration_text(name);
  asked.joint.problem =
      embedded ? parse_acceleration_json(std::string(embedded->text), fmt::format("(problem {})", name))
               : parse_acceleration_json(read_text_file(name, kMaxBytes), name);
  check_size(static_cast<std::size_t>(asked.joint.problem.size()), asked.joint.problem.contacts.size());
  require(request.coordinates == "joint",
          "--coordinates {} is for scenes; {} is a problem as plain matrices.", request.coordinates,
          request.scene.scene);
  return asked;
}

AnalysedScene load_asked_scene(const AnalyseRequest& request) {
  AnalysedScene asked;
  asked.source = request.scene.load();
  asked.model = make_model(asked.source);
  check_size(static_cast<std::size_t>(asked.model.nv), 0);
  asked.state = assemble(asked.model).state;
  SceneProblemOptions options;
  options.names = request.contacts;
  asked.joint = make_scene_problem(asked.model, asked.state, options);
  check_size(0, asked.joint.problem.contacts.size());
  return asked;
}

void write_verdict_page(const AnalyseRequest& request, const AnalysedScene& asked, const Analysis& analysis,
                        const SceneAnswers& answers) {
  const bool is_at_rest = answers.rest.has_value();
  const Rest rest = is_at_rest ? *answers.rest : Rest{};
  const bool is_joint = request.coordinates == "joint";  // what the page can move
  write_analysis_page(request.page, {asked.source, asked.model, asked.state, asked.joint,
                                     is_joint ? analysis : analyse(asked.joint.problem), is_at_rest, rest});
}

void print_analysis(const AnalyseRequest& request, const AccelerationProblem& problem,
                    const Analysis& analysis, const SceneAnswers& answers, const AnalyseDetails& details) {
  if (request.scene.json) {
    JsonValue value = analysis_to_json(problem, analysis);
    add_details(problem, details, value);
    add_answers(problem, answers, value);
    print_json(std::move(value));
    return;
  }
  say("{}{}{}", describe_analysis(problem, analysis), describe_answers(problem, answers),
      describe_details(problem, details));
  if (!request.page.empty())
    say("wrote {}: open it in a browser\n", std::filesystem::absolute(request.page).string());
}

}  // namespace

int run_analyse(const AnalyseRequest& request) {
  require(request.page.empty() || request.page.ends_with(".html"), "-o {}: must end in .html.", request.page);
  if (!request.page.empty()) require_page();
  AnalysedScene asked =
      is_problem_file(request.scene.scene) ? load_asked_problem(request) : load_asked_scene(request);
  add_free_directions(request, asked.joint);
  // tilts, loads and grasps are the scene's own, whatever the coordinates
  const SceneProblem scene = request.coordinates == "natural"
                                 ? make_natural_problem(asked.model, asked.state, asked.joint).scene
                                 : asked.joint;
  const Analysis analysis = analyse(scene.problem);
  SceneAnswers answers;
  if (!asked.is_problem) answers = answer(request, asked.model, asked.state, asked.joint, analysis);
  if ((answers.facets = request.facets) > 0) {
    answers.inside = decide_facets(scene.problem, request.facets, true);
    answers.outside = decide_facets(scene.problem, request.facets, false);
  }
  const AnalyseDetails details = find_details(scene.problem, {.margin = request.keep});
  if (!request.page.empty()) write_verdict_page(request, asked, analysis, answers);
  if (!request.write_problem.empty()) write_text_file(request.write_problem, to_json(scene.problem));
  print_analysis(request, scene.problem, analysis, answers, details);
  return analysis.opening.answer == Answer::kUndecided ? kNotAnswered : kAnswered;
}

}  // namespace rigor
