# qmarket_embed(<target> FILES <file>...)
#
# Makes <target>, a library with the contents of FILES (relative to the calling folder) compiled
# in. Its users include "<folder>/<target>.h" and read the span `qmarket::<target>::Files()`, whose
# items have a `name` (as given here) and a `content`.

set(QMARKET_EMBED_SCRIPT "${CMAKE_CURRENT_LIST_DIR}/EmbedFiles.cmake")

function(qmarket_embed target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "FILES")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_FILES)
    message(FATAL_ERROR "qmarket_embed(${target}): give FILES")
  endif()
  file(RELATIVE_PATH folder "${PROJECT_SOURCE_DIR}" "${CMAKE_CURRENT_SOURCE_DIR}")
  set(base "${QMARKET_GENERATED_DIR}/${folder}/${target}")
  list(TRANSFORM arg_FILES PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/" OUTPUT_VARIABLE paths)
  add_custom_command(
    OUTPUT "${base}.h" "${base}.cc"
    COMMAND "${CMAKE_COMMAND}" "-DTARGET=${target}" "-DBASE=${base}" "-DFOLDER=${folder}"
            "-DSOURCE_DIR=${CMAKE_CURRENT_SOURCE_DIR}" "-DFILES=${arg_FILES}" -P
            "${QMARKET_EMBED_SCRIPT}"
    DEPENDS ${paths} "${QMARKET_EMBED_SCRIPT}"
    COMMENT "embedding files for ${target}"
    VERBATIM)
  add_custom_target(${target}_files DEPENDS "${base}.h" "${base}.cc")
  add_library(${target} STATIC "${base}.cc")
  target_include_directories(${target} SYSTEM PUBLIC "${QMARKET_GENERATED_DIR}")
  set_target_properties(${target} PROPERTIES CXX_CLANG_TIDY "")
  add_dependencies(${target} ${target}_files)
endfunction()
