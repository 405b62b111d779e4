#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "rigor/dynamics/islands.hpp"
#include "rigor/math/sparse_cholesky.hpp"
#include "rigor/model/scene_fields.hpp"
#include "rigor/model/scene_limits.hpp"
#include "rigor/solvers/cone/sparse_cone_solve.hpp"
#include "rigor/solvers/lcp/lcp_solve.hpp"
#include "tools/rigor/commands.hpp"
#include "tools/rigor/embedded_scenes.hpp"
#include "tools/rigor/say.hpp"

namespace rigor {
namespace {

struct Entry {
  std::string name;
  std::string says;
};

struct Section {
  std::string title;
  std::vector<Entry> entries;
};

Section scenes() {
  Section section{"scenes", {}};
  for (const EmbeddedText& scene : embedded_scenes()) {
    const Scene read = parse_scene(std::string(scene.text), std::string(scene.name));
    section.entries.push_back({std::string(scene.name), read.name});
  }
  return section;
}

Section words(const char* title, const auto& names) {
  Section section{title, {}};
  for (const auto& name : names) section.entries.push_back({std::string(name), ""});
  return section;
}

Section limits() {
  const SceneLimits limits;
  const auto number = [](std::size_t n) { return fmt::format("{}", n); };
  return {"limits",
          {{"file-bytes", number(limits.max_file_bytes)},
           {"values", number(limits.max_values)},
           {"depth", number(limits.max_depth)},
           {"files", number(limits.max_files)},
           {"include-depth", number(limits.max_include_depth)},
           {"elements", number(limits.max_elements)},
           {"name-bytes", number(limits.max_name_bytes)},
           {"tree-entries", number(kMaxTreeEntries)},
           {"island-entries", number(kMaxIslandEntries)}}};
}

// What each method is for, in the order of method_names().
Section solvers() {
  constexpr std::array<const char*, 10> kSays = {
      "all kinds of LCP; by the class of the matrix; tries the next method when one gives up",
      "plain, mixed, boxed; complementary pivots; any matrix; proves infeasibility for copositive-plus",
      "plain, mixed, boxed; least index; finite for P-matrices",
      "plain, mixed, boxed; Cottle-Dantzig and Keller; P and row sufficient matrices",
      "plain, sparse, mixed, boxed; Júdice-Pires; a few factorisations for P-matrices; falls back to lemke",
      "plain, mixed, boxed directly; P-matrices",
      "plain, sparse, mixed, boxed directly; projected Gauss-Seidel; symmetric positive definite",
      "plain, mixed, boxed; semismooth; singular free blocks",
      "plain, mixed, boxed; monotone problems",
      "plain, mixed, boxed; all complementary sets; up to 20 unknowns"};
  Section section{"solvers", {}};
  for (std::size_t k = 0; k < kSays.size(); ++k)
    section.entries.push_back({std::string(method_names().at(k)), kSays[k]});
  return section;
}

// Those of cone problems, in the order of cone_method_names(): what each takes, and what it is for.
Section cone_solvers() {
  const std::string all = "contacts in 2-D and 3-D, bilateral, one-sided and boxed rows; ";
  constexpr std::array<const char*, 6> kSays = {
      "by size and redundancy; tries the next method when one gives up; proves that there is no solution",
      "semismooth Newton on the whole problem; few contacts, not redundant",
      "Gauss-Seidel contact by contact, exact and accelerated; large piles, few digits",
      "proximal point iterations around Newton's method; redundant and stiff, all digits",
      "from any start to the neighbourhood of an answer, then Newton's method",
      "alternating directions, one symmetric factor (--factors); slow and sturdy"};
  Section section{"cone-solvers", {}};
  for (std::size_t k = 0; k < kSays.size(); ++k)
    section.entries.push_back({std::string(cone_method_names().at(k)), all + kSays[k]});
  return section;
}

// Who factors sparse matrices.
Section factors() {
  return {"factors",
          {{"eigen",
            "the default: LU of 3 x 3 blocks in an order of Eigen's, Eigen's LU and Cholesky; the same bits "
            "everywhere"},
           {"cholmod",
            has_cholmod()
                ? "in this build: symmetric positive definite systems of cone problems, by --factors cholmod"
                : "not in this build: install libsuitesparse-dev, configure with -DRIGOR_WITH_CHOLMOD=ON"}}};
}

Section problems() {
  Section section{"problems", {}};
  for (const EmbeddedText& problem : embedded_problems())
    section.entries.push_back(
        {std::string(problem.name), is_acceleration_text(problem)
                                        ? describe_acceleration_text(problem) + " (rigor analyse)"
                                        : describe(load_problem(std::string(problem.name)))});
  return section;
}

Section formulations() {
  return {"formulations",
          {{"cone", "Coulomb's law on the exact cone; the default"},
           {"stewart-trinkle", "polyhedral cone, with the gap: u_n >= -gap/h"},
           {"anitescu-potra", "polyhedral cone on closed contacts: always solvable"},
           {"box", "Lacoursiere's box: two axes, bounds from the last normal force; 1 to sqrt(2) too strong"},
           {"hybrid", "the box along and across the slip, regularised across: isotropic in sliding"},
           {"phantom", "Peiret's directions with phantom inertia: an LCP that is not singular"},
           {"convex", "Anitescu and Tasora's convex cone; sliding contacts lift off"}}};
}

// What this version can do.
std::vector<Section> all_sections() {
  return {scenes(),
          problems(),
          words("methods", names_of(Kind<RunSettings::Method>{})),
          formulations(),
          solvers(),
          cone_solvers(),
          factors(),
          words("joints", names_of(Kind<JointType>{})),
          words("shapes", names_of(Kind<Shape>{})),
          words("constraints", names_of(Kind<ConstraintGeometry>{})),
          limits()};
}

void print_sections(const std::vector<Section>& sections) {
  for (const Section& section : sections) {
    say("{}:\n", section.title);
    if (section.entries.empty()) say("  none in this version\n");
    for (const Entry& entry : section.entries)
      say("  {}\n", entry.says.empty() ? entry.name : fmt::format("{:<21} {}", entry.name, entry.says));
  }
}

JsonValue sections_to_json(const std::vector<Section>& sections) {
  JsonValue value{JsonValue::Object{}};
  for (const Section& section : sections) {
    JsonValue::Array entries;
    for (const Entry& entry : section.entries) {
      JsonValue item{JsonValue::Object{}};
      item.add("name", entry.name);
      if (!entry.says.empty()) item.add("description", entry.says);
      entries.push_back(std::move(item));
    }
    value.add(section.title, std::move(entries));
  }
  return value;
}

}  // namespace

std::vector<std::string> solver_names() {
  std::vector<std::string> names(method_names().begin(), method_names().end());
  for (const std::string_view name : cone_method_names())
    if (std::find(names.begin(), names.end(), name) == names.end()) names.emplace_back(name);
  return names;
}

std::vector<std::string> formulation_names() {
  const auto names = names_of(Kind<Formulation>{});
  return {names.begin(), names.end()};
}

std::vector<std::string> list_topics() {
  return {"scenes",  "problems", "methods", "formulations", "solvers", "cone-solvers",
          "factors", "joints",   "shapes",  "constraints",  "limits"};
}

int run_list(const std::string& what, bool json) {
  std::vector<Section> sections = all_sections();
  // solvers: all of them, and whose factors they use
  const auto is_asked = [&](const std::string& title) {
    return what.empty() || title == what ||
           (what == "solvers" && (title == "cone-solvers" || title == "factors"));
  };
  std::erase_if(sections, [&](const Section& section) { return !is_asked(section.title); });
  if (json)
    print_json(sections_to_json(sections));
  else
    print_sections(sections);
  return kAnswered;
}

}  // namespace rigor
