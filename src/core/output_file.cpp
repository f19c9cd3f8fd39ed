#include "postil/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "postil/error.hpp"

namespace postil {
namespace {

constexpr std::size_t kBuffer = 256 * 1024;

// The file a chain of links ends at, whether it exists or not.
std::string followed(std::string path) {
  for (int links = 0; links < 40; ++links) {
    std::error_code error;
    const std::filesystem::path next = std::filesystem::read_symlink(path, error);
    if (error) break;
    path = next.is_absolute() ? next.string() : (std::filesystem::path(path).parent_path() / next).string();
  }
  return path;
}

// A pipe or a device, which is written as it is.
bool is_special(const std::string& path, bool exists, const struct stat& existing) {
  return (exists && !S_ISREG(existing.st_mode)) || path.starts_with("/dev/") || path.starts_with("/proc/");
}

std::string folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

}  // namespace

OutputFile::OutputFile(std::string path) : path_(std::move(path)) {
  buffer_.reserve(kBuffer);
  if (path_ == "-") {
    path_ = "standard output";
    descriptor_ = ::dup(STDOUT_FILENO);
    if (descriptor_ < 0) fail("open", errno);
    return;
  }
  struct stat existing {};
  const bool exists = ::stat(path_.c_str(), &existing) == 0;
  if (exists && S_ISDIR(existing.st_mode))
    throw DataError({.code = Code::cannot_write, .place = {path_}, .message = "cannot write: it is a directory"});
  if (is_special(path_, exists, existing)) {
    descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor_ < 0) fail("open", errno);
    return;
  }
  if (!exists && errno == ELOOP) fail("write", ELOOP);
  target_ = followed(path_);
  // A file without a name, where the system can make and later name it: then whatever ends the program, nothing remains.
  if (::access("/proc/self/fd", F_OK) == 0)
    descriptor_ = ::open(folder_of(target_).c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
  if (descriptor_ < 0) {
    temporary_ = temporary_name("XXXXXX");
    descriptor_ = ::mkostemp(temporary_.data(), O_CLOEXEC);
  }
  if (descriptor_ < 0) {
    const int error = errno;
    temporary_.clear();
    fail("create", error);
  }
  mode_t mask = ::umask(0);
  ::umask(mask);
  ::fchmod(descriptor_, exists ? (existing.st_mode & 07777U) : (0666U & ~mask));
}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void OutputFile::write(std::string_view bytes) {
  if (buffer_.size() + bytes.size() > kBuffer) flush();
  if (bytes.size() >= kBuffer) {
    std::string large(bytes);
    buffer_.swap(large);
    flush();
    return;
  }
  buffer_ += bytes;
}

void OutputFile::flush() {
  for (std::size_t done = 0; done < buffer_.size();) {
    const ssize_t wrote = ::write(descriptor_, buffer_.data() + done, buffer_.size() - done);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) fail("write", errno);
    done += static_cast<std::size_t>(wrote);
  }
  buffer_.clear();
}

std::string OutputFile::temporary_name(const std::string& ending) const {
  const std::filesystem::path target(target_);
  return (std::filesystem::path(folder_of(target_)) / fmt::format(".{}.{}", target.filename().string(), ending))
      .string();
}

void OutputFile::commit() {
  flush();
  if (!target_.empty() && ::fsync(descriptor_) != 0) fail("sync", errno);
  if (!target_.empty() && temporary_.empty()) {  // give the file a name, and at once the right one
    const std::string itself = fmt::format("/proc/self/fd/{}", descriptor_);
    for (std::uint64_t attempt = 0; temporary_.empty(); ++attempt) {  // names that others have left are passed over
      const std::string name = temporary_name(fmt::format("{}-{}", ::getpid(), attempt));
      if (::linkat(AT_FDCWD, itself.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0)
        temporary_ = name;
      else if (errno != EEXIST)
        fail("name", errno);
    }
  }
  const int closed = ::close(descriptor_);
  descriptor_ = -1;
  if (closed != 0) fail("close", errno);
  if (target_.empty()) return;
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail("rename to", errno);
  temporary_.clear();
  // The new name is there; this makes it outlast a loss of power. A folder that may not be read cannot be asked to.
  const int folder = ::open(folder_of(target_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;
  const int error = ::fsync(folder) == 0 ? 0 : errno;
  ::close(folder);
  if (error != 0 && error != EINVAL && error != ENOTSUP && error != EROFS) fail("sync the folder of", error);
}

FileLock::FileLock(const std::string& path) {
  struct stat existing {};
  const bool exists = ::stat(path.c_str(), &existing) == 0;
  if (path == "-" || is_special(path, exists, existing)) return;
  const std::filesystem::path target(followed(path));
  name_ = (std::filesystem::path(folder_of(target.string())) / fmt::format(".{}.lock", target.filename().string()))
              .string();
  const auto fail = [&](Text message) {
    if (descriptor_ >= 0) ::close(descriptor_);
    throw DataError({.code = Code::cannot_write, .place = {path}, .message = std::move(message)});
  };
  for (;;) {
    descriptor_ = ::open(name_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (descriptor_ < 0)
      fail(errno == ENOENT ? Text("cannot write: its folder does not exist")
                           : Text(fmt::format("cannot lock with {}: {}", name_, std::strerror(errno))));
    if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
      if (errno == EWOULDBLOCK)
        fail("another process is using this model file; wait until it ends, or choose another file");
      if (errno != EINTR) return;  // a file system without locks
    }
    struct stat ours = {};
    struct stat named = {};  // who held it before may have removed it since we opened it
    if (::fstat(descriptor_, &ours) == 0 && ::stat(name_.c_str(), &named) == 0 && ours.st_ino == named.st_ino &&
        ours.st_dev == named.st_dev)
      return;
    ::close(descriptor_);
  }
}

FileLock::~FileLock() {
  if (descriptor_ < 0) return;
  ::unlink(name_.c_str());  // while it is ours
  ::close(descriptor_);
}

void OutputFile::fail(const char* doing, int error) const {
  throw DataError({.code = Code::cannot_write,
                   .place = {path_},
                   .message = fmt::format("cannot {}: {}", doing, std::strerror(error))});
}

}  // namespace postil
