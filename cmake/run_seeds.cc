// Runs a fuzz target once over every file of the folders given, and over the empty input. It takes
// libFuzzer's place where that is not built in, so that seeds and past finds are ordinary tests.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <ios>
#include <iterator>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

void RunOne(const std::string& name, const std::string& bytes) {
  std::fprintf(stderr, "%s: %zu bytes\n", name.c_str(), bytes.size());
  const std::vector<uint8_t> input(bytes.begin(), bytes.end());
  LLVMFuzzerTestOneInput(input.data(), input.size());
}

}  // namespace

int main(int argc, char** argv) {
  RunOne("(empty)", "");
  for (int i = 1; i < argc; ++i) {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(argv[i])) {
      files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    if (files.empty()) {
      std::fprintf(stderr, "%s: no seeds in this folder\n", argv[i]);
      return 1;
    }
    for (const std::filesystem::path& file : files) {
      std::ifstream stream(file, std::ios::binary);
      RunOne(file.string(), std::string(std::istreambuf_iterator<char>(stream), {}));
    }
  }
  return 0;
}
