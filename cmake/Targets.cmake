# Libraries and programs of the rooms.

# qmarket_library(<name> SOURCES <file>... [DEPS <target>...] [PRIVATE_DEPS <target>...])
#
# A static library (header-only if SOURCES has no .cc file). DEPS are what its headers include,
# PRIVATE_DEPS what only its .cc files include.
function(qmarket_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPS;PRIVATE_DEPS")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_SOURCES)
    message(FATAL_ERROR "qmarket_library(${name}): give SOURCES, DEPS, PRIVATE_DEPS only")
  endif()
  set(compiled ${arg_SOURCES})
  list(FILTER compiled INCLUDE REGEX "\\.cc$")
  if(compiled)
    add_library(${name} STATIC ${arg_SOURCES})
    target_include_directories(${name} PUBLIC "${PROJECT_SOURCE_DIR}")
    target_link_libraries(${name} PUBLIC ${arg_DEPS} PRIVATE ${arg_PRIVATE_DEPS} qmarket_warnings)
  else()
    add_library(${name} INTERFACE ${arg_SOURCES})
    target_include_directories(${name} INTERFACE "${PROJECT_SOURCE_DIR}")
    target_link_libraries(${name} INTERFACE ${arg_DEPS} ${arg_PRIVATE_DEPS})
  endif()
endfunction()

# qmarket_binary(<name> SOURCES <file>... [DEPS <target>...])
#
# A program that lands at the top of the build folder: build/<preset>/<name>.
function(qmarket_binary name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPS")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_SOURCES)
    message(FATAL_ERROR "qmarket_binary(${name}): give SOURCES, and DEPS if needed")
  endif()
  add_executable(${name} ${arg_SOURCES})
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}")
  target_link_libraries(${name} PRIVATE ${arg_DEPS} qmarket_warnings)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}")
endfunction()
