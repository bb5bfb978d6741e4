# Every library from outside, found in one place. All are Debian packages: see tools/install-deps.
# Their headers are system headers, so that our warnings do not look into them.

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
find_package(absl REQUIRED CONFIG)
find_package(CLI11 REQUIRED CONFIG)
find_package(Flatbuffers REQUIRED CONFIG NAMES FlatBuffers Flatbuffers flatbuffers)
find_program(QMARKET_FLATC flatc REQUIRED)
find_package(nlohmann_json REQUIRED CONFIG)
find_package(OpenSSL REQUIRED COMPONENTS Crypto SSL)
find_package(RocksDB REQUIRED CONFIG) # link RocksDB::rocksdb-shared
find_package(tomlplusplus REQUIRED CONFIG)

find_package(PkgConfig REQUIRED)
pkg_check_modules(httplib REQUIRED IMPORTED_TARGET GLOBAL cpp-httplib)
add_library(httplib::httplib ALIAS PkgConfig::httplib)
pkg_check_modules(rdkafka REQUIRED IMPORTED_TARGET GLOBAL rdkafka)
add_library(rdkafka::rdkafka ALIAS PkgConfig::rdkafka)

if(QMARKET_BUILD_TESTS)
  find_package(GTest REQUIRED CONFIG)
  find_package(rapidcheck REQUIRED CONFIG) # link rapidcheck and rapidcheck_gtest
  find_package(benchmark REQUIRED CONFIG)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
endif()
