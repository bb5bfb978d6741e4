# qmarket_flatbuffers(<target> SCHEMAS <file.fbs>... [FLAGS <flatc flag>...])
#
# Makes <target>, an interface library whose users can include "<folder>/<name>_generated.h" for
# each schema "<name>.fbs" of the calling folder. It also writes the binary schema
# "<folder>/<name>.bfbs" beside the header, and "<folder>/<name>_bfbs_generated.h" that holds the
# same bytes as an array. All of it lies in one folder of the build tree, given to the compiler as
# a system include. Schemas are compiled with explicit ids required.
#
# For other programs, the build also makes Python modules of the schemas, in
# "python/<folder>" of it, and installs schemas, binary schemas and modules under share/qmarket.

include(GNUInstallDirs)

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
  set(binary_schemas)
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
    list(APPEND binary_schemas "${out_dir}/${name}.bfbs")
  endforeach()
  add_custom_target(${target}_files ALL DEPENDS ${outputs})
  add_library(${target} INTERFACE)
  target_include_directories(${target} SYSTEM INTERFACE "${QMARKET_GENERATED_DIR}")
  target_link_libraries(${target} INTERFACE flatbuffers::flatbuffers)
  add_dependencies(${target} ${target}_files)
  set_target_properties(${target} PROPERTIES QMARKET_SCHEMA_DIR "${out_dir}")

  # flatc names the modules after the tables, so the build knows only of a stamp.
  set(python_dir "${QMARKET_GENERATED_DIR}/python/${folder}")
  set(stamp "${out_dir}/${target}_python.stamp")
  add_custom_command(
    OUTPUT "${stamp}"
    COMMAND "${CMAKE_COMMAND}" -E rm -rf "${python_dir}"
    COMMAND "${QMARKET_FLATC}" --require-explicit-ids -I "${PROJECT_SOURCE_DIR}" -o "${python_dir}"
            --python ${schemas}
    COMMAND "${CMAKE_COMMAND}" -E touch "${stamp}"
    DEPENDS ${schemas}
    COMMENT "flatc --python in ${folder}"
    VERBATIM)
  add_custom_target(${target}_python ALL DEPENDS "${stamp}")

  set(share "${CMAKE_INSTALL_DATADIR}/qmarket")
  install(FILES ${schemas} ${binary_schemas} DESTINATION "${share}/schemas")
  install(DIRECTORY "${python_dir}/" DESTINATION "${share}/python" PATTERN __pycache__ EXCLUDE)
endfunction()
