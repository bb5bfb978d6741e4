# Language level, optimisation and the compiler cache, the same for every target.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

# Line tables only (-g1): stack traces stay readable and a clean build stays short.
set(CMAKE_CXX_FLAGS_DEBUG "-O1 -g1")
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -g1 -DNDEBUG")

# Bounds checks of the standard containers are on in every build: reading past the end of a vector
# must stop the process, not change an outcome.
add_compile_definitions(_GLIBCXX_ASSERTIONS)
add_compile_options(-fno-omit-frame-pointer)

# __FILE__ reads "ledger/core/book.cc" wherever the repository lies.
cmake_path(RELATIVE_PATH PROJECT_SOURCE_DIR BASE_DIRECTORY "${CMAKE_BINARY_DIR}" OUTPUT_VARIABLE
           relative_source)
add_compile_options("-fmacro-prefix-map=${PROJECT_SOURCE_DIR}/="
                    "-fmacro-prefix-map=${relative_source}/=")

# CCACHE_BASEDIR lets a fresh clone in another folder hit the same cache entries.
find_program(QMARKET_CCACHE ccache)
if(QMARKET_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}" CCACHE_NOHASHDIR=1
      ${QMARKET_CCACHE})
endif()
