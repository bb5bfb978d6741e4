# Script run at build time by qmarket_embed(): writes ${BASE}.h and ${BASE}.cc.

file(
  WRITE "${BASE}.h.new"
  "// Made by the build from files of the source tree; do not edit.
#pragma once
#include <span>
#include <string_view>

namespace qmarket::${TARGET} {

struct File {
  std::string_view name;
  std::string_view content;
};

std::span<const File> Files();

}  // namespace qmarket::${TARGET}
")
file(COPY_FILE "${BASE}.h.new" "${BASE}.h")
file(REMOVE "${BASE}.h.new")

set(arrays "")
set(items "")
set(index 0)
foreach(name IN LISTS FILES)
  file(READ "${SOURCE_DIR}/${name}" hex HEX)
  string(LENGTH "${hex}" length)
  math(EXPR length "${length} / 2")
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
  # The last zero is not part of the content: an array may not be empty.
  string(APPEND arrays "const unsigned char kBytes${index}[] = {${bytes}0};\n")
  string(APPEND items "    {\"${name}\", {reinterpret_cast<const char*>(kBytes${index}), "
                      "${length}}},\n")
  math(EXPR index "${index} + 1")
endforeach()
file(
  WRITE "${BASE}.cc"
  "// Made by the build from files of the source tree; do not edit.
#include \"${FOLDER}/${TARGET}.h\"

namespace qmarket::${TARGET} {
namespace {

${arrays}
const File kFiles[] = {
${items}};

}  // namespace

std::span<const File> Files() { return kFiles; }

}  // namespace qmarket::${TARGET}
")
