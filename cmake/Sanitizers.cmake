# QMARKET_SANITIZE: a comma separated list for -fsanitize=, applied to everything that is built.
# "fuzzer" in the list turns on libFuzzer's coverage for all code (clang only).

set(QMARKET_SANITIZE "" CACHE STRING "Sanitizers, comma separated: address,undefined or thread")
string(REPLACE "," ";" sanitizers "${QMARKET_SANITIZE}")
set(QMARKET_FUZZING OFF)
if("fuzzer" IN_LIST sanitizers)
  set(QMARKET_FUZZING ON)
  list(TRANSFORM sanitizers REPLACE "^fuzzer$" "fuzzer-no-link")
endif()

if(sanitizers)
  list(JOIN sanitizers "," sanitizers)
  add_compile_options("-fsanitize=${sanitizers}" -fno-sanitize-recover=all)
  add_link_options("-fsanitize=${sanitizers}")
endif()
