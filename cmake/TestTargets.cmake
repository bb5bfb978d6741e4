# Tests, fuzz targets and benchmarks. Every function takes LABELS (default: the name of the calling
# folder) and TIMEOUT in seconds for one test case (default 60; under a sanitizer four times what is
# given). The label "long" keeps a test out of the default run: the test presets and tools/test
# leave it out, `ctest --preset long` runs it.

include(GoogleTest)

# Where tests find data from outside the repository. A test skips, with a message, what is missing.
function(qmarket_outside_folder variable default)
  set(value "${PROJECT_SOURCE_DIR}/../${default}")
  if(DEFINED ENV{${variable}})
    set(value "$ENV{${variable}}")
  endif()
  cmake_path(NORMAL_PATH value)
  set(${variable} "${value}" CACHE PATH "Folder of outside data for the tests")
endfunction()
qmarket_outside_folder(QMARKET_DATA_DIR shared/data)
qmarket_outside_folder(QMARKET_SPEC_DIR shared/spec)

# What every test finds in its environment; QMARKET_BINARY is the program, which need not be built
# for tests that do not run it.
set(QMARKET_TEST_ENVIRONMENT
    "QMARKET_DATA_DIR=${QMARKET_DATA_DIR}" "QMARKET_SPEC_DIR=${QMARKET_SPEC_DIR}"
    "QMARKET_SOURCE_DIR=${PROJECT_SOURCE_DIR}" "QMARKET_BINARY=${CMAKE_BINARY_DIR}/qmarket"
    "UBSAN_OPTIONS=print_stacktrace=1"
    "TSAN_OPTIONS=halt_on_error=1:suppressions='${PROJECT_SOURCE_DIR}/cmake/tsan.supp'")

macro(qmarket_parse_test_arguments function name)
  cmake_parse_arguments(arg "" "TIMEOUT" "SOURCES;DEPS;LABELS;COMMAND;SEEDS" ${ARGN})
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "${function}(${name}): unknown: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 60)
  endif()
  if(QMARKET_SANITIZE)
    math(EXPR arg_TIMEOUT "${arg_TIMEOUT} * 4")
  endif()
  if(NOT arg_LABELS)
    cmake_path(GET CMAKE_CURRENT_SOURCE_DIR FILENAME arg_LABELS)
  endif()
endmacro()

# qmarket_test_binary: an executable of a test; not for use outside this file.
function(qmarket_test_binary name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPS")
  if(NOT arg_SOURCES)
    message(FATAL_ERROR "${name}: give SOURCES")
  endif()
  add_executable(${name} ${arg_SOURCES})
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}")
  target_link_libraries(${name} PRIVATE ${arg_DEPS} qmarket_warnings)
endfunction()

# qmarket_test(<name> SOURCES <file>... [DEPS <target>...] [LABELS <l>...] [TIMEOUT <s>])
#
# A GoogleTest program (main and gmock are linked in). Each test case is a test of ctest's own,
# named "<name>.<suite>.<case>", run with the repository as its working directory.
function(qmarket_test name)
  qmarket_parse_test_arguments(qmarket_test ${name} ${ARGN})
  if(QMARKET_FUZZING)
    return()
  endif()
  qmarket_test_binary(${name} SOURCES ${arg_SOURCES} DEPS ${arg_DEPS} GTest::gmock_main)
  # What is tested is optimised as configured; the test cases themselves build quicker this way.
  target_compile_options(${name} PRIVATE -O1)
  gtest_discover_tests(
    ${name}
    TEST_PREFIX "${name}."
    WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}"
    DISCOVERY_MODE PRE_TEST
    DISCOVERY_TIMEOUT 60
    TEST_LIST ${name}_cases
    PROPERTIES TIMEOUT ${arg_TIMEOUT})
  # gtest_discover_tests cannot pass on properties that are lists: they are set in a file that ctest
  # reads after it.
  set(script "${CMAKE_CURRENT_BINARY_DIR}/${name}_properties.cmake")
  file(WRITE "${script}" "set_tests_properties(\${${name}_cases} PROPERTIES\n"
                         "  LABELS [==[${arg_LABELS}]==]\n"
                         "  ENVIRONMENT [==[${QMARKET_TEST_ENVIRONMENT}]==])\n")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${script}")
endfunction()

# qmarket_command_test(<name> COMMAND <program> <argument>... [LABELS <l>...] [TIMEOUT <s>])
#
# A test that is a command; it passes if the command exits with 0.
function(qmarket_command_test name)
  qmarket_parse_test_arguments(qmarket_command_test ${name} ${ARGN})
  add_test(NAME ${name} COMMAND ${arg_COMMAND} WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
  set_tests_properties(
    ${name} PROPERTIES TIMEOUT ${arg_TIMEOUT} LABELS "${arg_LABELS}"
                       ENVIRONMENT "${QMARKET_TEST_ENVIRONMENT}")
endfunction()

# qmarket_fuzzer(<name> SOURCES <file>... [DEPS <target>...] [SEEDS <folder>])
#
# A target with LLVMFuzzerTestOneInput. In the fuzz preset it is a libFuzzer program, and its test
# fuzzes for QMARKET_FUZZ_SECONDS. Elsewhere it is a program that runs every file of the folder
# SEEDS (relative to the calling one) once, so that seeds and past finds stay tested.
set(QMARKET_FUZZ_SECONDS 60 CACHE STRING "How long the test of a fuzz target runs")
add_custom_target(qmarket_fuzzers)

function(qmarket_fuzzer name)
  qmarket_parse_test_arguments(qmarket_fuzzer ${name} ${ARGN})
  set(seeds)
  if(arg_SEEDS)
    set(seeds "${CMAKE_CURRENT_SOURCE_DIR}/${arg_SEEDS}")
  endif()
  # The entry point of a fuzz target is declared by libFuzzer alone.
  set_source_files_properties(${arg_SOURCES} PROPERTIES COMPILE_OPTIONS -Wno-missing-declarations)
  if(NOT QMARKET_FUZZING)
    qmarket_test_binary(${name} SOURCES ${arg_SOURCES} "${PROJECT_SOURCE_DIR}/cmake/run_seeds.cc"
                        DEPS ${arg_DEPS})
    qmarket_command_test(${name}.seeds COMMAND ${name} ${seeds} LABELS ${arg_LABELS}
                         TIMEOUT ${arg_TIMEOUT})
    return()
  endif()
  qmarket_test_binary(${name} SOURCES ${arg_SOURCES} DEPS ${arg_DEPS})
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  add_dependencies(qmarket_fuzzers ${name})
  set(found "${CMAKE_BINARY_DIR}/corpus/${name}")
  file(MAKE_DIRECTORY "${found}")
  math(EXPR timeout "${QMARKET_FUZZ_SECONDS} + 120")
  qmarket_command_test(
    ${name}.fuzz
    COMMAND ${name} -max_total_time=${QMARKET_FUZZ_SECONDS} -timeout=20 -rss_limit_mb=4096
            -print_final_stats=1 "-artifact_prefix=${found}-" "${found}" ${seeds}
    LABELS fuzz
    TIMEOUT ${timeout})
endfunction()

# qmarket_benchmark(<name> SOURCES <file>... [DEPS <target>...])
#
# A Google Benchmark program (main is linked in). Its test runs each case for a moment, to keep it
# working; `cmake --build --preset release --target qmarket_benchmarks` builds them all.
add_custom_target(qmarket_benchmarks)

function(qmarket_benchmark name)
  qmarket_parse_test_arguments(qmarket_benchmark ${name} ${ARGN})
  if(QMARKET_FUZZING)
    return()
  endif()
  qmarket_test_binary(${name} SOURCES ${arg_SOURCES} DEPS ${arg_DEPS} benchmark::benchmark_main)
  add_dependencies(qmarket_benchmarks ${name})
  qmarket_command_test(${name}.smoke COMMAND ${name} --benchmark_min_time=0.001 LABELS bench
                       TIMEOUT ${arg_TIMEOUT})
endfunction()
