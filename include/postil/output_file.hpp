// Writing files so that a crash at any moment leaves the old file or the new one.
#pragma once

#include <string>
#include <string_view>

namespace postil {

// Writes to a temporary file in the target's folder, which commit() syncs and renames over it; without commit() nothing
// remains. A target that is no regular file (a pipe, a device, "-" for standard output) is written directly. Throws
// DataError.
class OutputFile {
 public:
  explicit OutputFile(std::string path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::string_view bytes);
  void flush();  // hands what was written to the system
  void commit();

 private:
  [[nodiscard]] std::string temporary_name(const std::string& ending) const;
  [[noreturn]] void fail(const char* doing, int error) const;

  std::string path_;       // as named by the user, for messages
  std::string target_;     // what is renamed over; empty: written directly
  std::string temporary_;  // name of the file being written, if it has one
  std::string buffer_;
  int descriptor_ = -1;
};

// Holds a file against other processes that hold it this way, until it goes. The file itself is not touched: a hidden one beside
// it is locked. Throws DataError if another process holds it.
class FileLock {
 public:
  explicit FileLock(const std::string& path);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  std::string name_;
  int descriptor_ = -1;
};

}  // namespace postil
