#pragma once

#include <map>
#include <string_view>
#include <vector>

#include "rigor/io/scene_files.hpp"
#include "rigor/io/scene_values.hpp"
#include "rigor/model/check_scene.hpp"

namespace rigor {

/// Where in the text each element of a scene's lists was read, so that what check_scene() finds in a scene
/// can be shown in the file, in the included file, in the "repeat" or under the "defaults" that it comes
/// from.
class SceneOrigins {
 public:
  /// Notes the next element of a list: `node` is number `index` of its list in `file`, in the entry number
  /// `repeat` of "repeat", or (−1) at the top.
  void add(std::string_view list, const SceneFile& file, const JsonValue& node, int repeat,
           std::size_t index) {
    lists_[list].push_back({&file, &node, repeat, static_cast<int>(index)});
  }

  /// Reports an issue at its place, unless it only follows from an error that is reported there.
  void report(const SceneIssue& issue, const SceneFile& main, SceneValues& values) const;

  /// Which object under "defaults" holds for the elements of a list, or for the field "joint"; else "".
  [[nodiscard]] static std::string_view default_kind(std::string_view key);

 private:
  struct Origin {
    const SceneFile* file;
    const JsonValue* node;
    int repeat;
    int index;
  };

  std::map<std::string_view, std::vector<Origin>> lists_;
};

}  // namespace rigor
