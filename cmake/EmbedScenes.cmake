# cmake -DSCENES="a.json;b.json" -DPROBLEMS="c.json" -DOUT=x.cpp -P EmbedScenes.cmake: the texts of scenes and problems as
# C++ tables.
function(append_table function files)
  string(APPEND code "const std::vector<EmbeddedText>& ${function}() {\n")
  string(APPEND code "  static const std::vector<EmbeddedText> kTexts{\n")
  foreach(file IN LISTS files)
    get_filename_component(name ${file} NAME_WE)
    file(READ ${file} text)
    string(APPEND code "      {\"${name}\", R\"text(${text})text\"},\n")
  endforeach()
  string(APPEND code "  };\n  return kTexts;\n}\n\n")
  set(code "${code}" PARENT_SCOPE)
endfunction()

set(code "#include \"tools/rigor/embedded_scenes.hpp\"\n\nnamespace rigor {\n\n")
append_table(embedded_scenes "${SCENES}")
append_table(embedded_problems "${PROBLEMS}")
string(APPEND code "}  // namespace rigor\n")
file(WRITE ${OUT} "${code}")
