// A folder for one test, with all that is in it gone at the end.
#ifndef QMARKET_TESTS_SUPPORT_TEMP_FOLDER_H_
#define QMARKET_TESTS_SUPPORT_TEMP_FOLDER_H_

#include <stdlib.h>

#include <filesystem>
#include <string>
#include <system_error>

#include "events/check.h"

namespace qmarket {

class TempFolder {
 public:
  TempFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "qmarket-test-XXXXXX").string();
    QM_CHECK(::mkdtemp(name.data()) != nullptr, "no temporary folder can be made");
    path_ = name;
  }

  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  [[nodiscard]] const std::string& path() const { return path_; }

  // The path of something in the folder.
  [[nodiscard]] std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace qmarket

#endif  // QMARKET_TESTS_SUPPORT_TEMP_FOLDER_H_
