# qmarket_warnings: the warnings that every target of ours is built with, all of them errors.
# -Wnull-dereference is left out: gcc 12 reports it inside the standard library at -O2.
# -Wmaybe-uninitialized and -Wrestrict are off: gcc 12 reports the first for every moved
# absl::StatusOr and the second for "text" + std::string.

add_library(qmarket_warnings INTERFACE)
target_compile_options(
  qmarket_warnings
  INTERFACE -Werror
            -Wall
            -Wextra
            -Wpedantic
            -Wcast-align
            -Wcast-qual
            -Wconversion
            -Wdouble-promotion
            -Wextra-semi
            -Wformat=2
            -Wimplicit-fallthrough
            -Wmissing-declarations
            -Wnon-virtual-dtor
            -Wold-style-cast
            -Woverloaded-virtual
            -Wredundant-decls
            -Wshadow
            -Wsign-conversion
            -Wundef
            -Wunused)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(qmarket_warnings INTERFACE -Wduplicated-cond -Wlogical-op
                                                    -Wsuggest-override -Wno-maybe-uninitialized
                                                    -Wno-restrict)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND QMARKET_SANITIZE)
  # The checks that a sanitizer puts in look to gcc like paths that the program could take. The
  # other builds have these warnings.
  target_compile_options(qmarket_warnings INTERFACE -Wno-array-bounds -Wno-stringop-overflow
                                                    -Wno-stringop-overread)
endif()
