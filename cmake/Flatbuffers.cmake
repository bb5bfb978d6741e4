# qmarket_flatbuffers(<target> SCHEMAS <file.fbs>... [FLAGS <flatc flag>...])
#
# Makes <target>, an interface library whose users can include "<folder>/<name>_generated.h" for
# each schema "<name>.fbs" of the calling folder. It also writes the binary schema
# "<folder>/<name>.bfbs" beside the header, and "<folder>/<name>_bfbs_generated.h" that holds the
# same bytes as an array. All of it lies in one folder of the build tree, given to the compiler as
# a system include. Schemas are compiled with explicit ids required.

set(QMARKET_GENERATED_DIR "${CMAKE_BINARY_DIR}/generated")

function(qmarket_flatbuffers target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SCHEMAS;FLAGS")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_SCHEMAS)
    message(FATAL_ERROR "qmarket_flatbuffers(${target}): give SCHEMAS, and FLAGS if needed")
  endif()
  file(RELATIVE_PATH folder "${PROJECT_SOURCE_DIR}" "${CMAKE_CURRENT_SOURCE_DIR}")
  set(out_dir "${QMARKET_GENERATED_DIR}/${folder}")
  set(flatc "${QMARKET_FLATC}" --require-explicit-ids -I "${PROJECT_SOURCE_DIR}" -o "${out_dir}")
  list(TRANSFORM arg_SCHEMAS PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/" OUTPUT_VARIABLE schemas)
  set(outputs)
  foreach(schema IN LISTS schemas)
    cmake_path(GET schema STEM name)
    set(made "${out_dir}/${name}_generated.h" "${out_dir}/${name}.bfbs"
             "${out_dir}/${name}_bfbs_generated.h")
    # A schema may include another of the same target, so each depends on all of them.
    add_custom_command(
      OUTPUT ${made}
      COMMAND ${flatc} --cpp --cpp-std c++17 --binary --schema --bfbs-gen-embed ${arg_FLAGS}
              "${schema}"
      DEPENDS ${schemas}
      COMMENT "flatc ${folder}/${name}.fbs"
      VERBATIM)
    list(APPEND outputs ${made})
  endforeach()
  add_custom_target(${target}_files DEPENDS ${outputs})
  add_library(${target} INTERFACE)
  target_include_directories(${target} SYSTEM INTERFACE "${QMARKET_GENERATED_DIR}")
  target_link_libraries(${target} INTERFACE flatbuffers::flatbuffers)
  add_dependencies(${target} ${target}_files)
  set_target_properties(${target} PROPERTIES QMARKET_SCHEMA_DIR "${out_dir}")
endfunction()
