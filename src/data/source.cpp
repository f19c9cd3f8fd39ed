#include "source.hpp"

#include <bzlib.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <lzma.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <vector>

#include "postil/error.hpp"

namespace postil {
namespace {

[[noreturn]] void fail_damaged(const std::string& name, std::string message) {
  throw DataError({.code = Code::damaged_file, .place = {name}, .message = std::move(message)});
}

class FileSource final : public ByteSource {
 public:
  explicit FileSource(const std::string& path) : name_(path == "-" ? "standard input" : path) {
    descriptor_ = path == "-" ? ::dup(STDIN_FILENO) : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor_ < 0) fail(errno);
    struct stat status {};
    if (::fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode))
      size_ = static_cast<std::uint64_t>(status.st_size);
    ::posix_fadvise(descriptor_, 0, 0, POSIX_FADV_SEQUENTIAL);
  }
  ~FileSource() override {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;

  std::size_t read(char* to, std::size_t n) override {
    std::size_t done = 0;
    while (done < n) {
      const std::size_t got = read_some(to + done, n - done);
      if (got == 0) break;
      done += got;
    }
    return done;
  }
  // At least one byte, unless the file has ended.
  std::size_t read_some(char* to, std::size_t n) {
    ssize_t got = 0;
    do got = ::read(descriptor_, to, n);
    while (got < 0 && errno == EINTR);
    if (got < 0) fail(errno);
    consumed_ += static_cast<std::size_t>(got);
    return static_cast<std::size_t>(got);
  }
  [[nodiscard]] int descriptor() const { return descriptor_; }
  [[nodiscard]] std::uint64_t consumed() const override { return consumed_; }
  [[nodiscard]] std::uint64_t size() const override { return size_; }

 private:
  [[noreturn]] void fail(int error) const {
    throw DataError({.code = Code::cannot_read,
                     .place = {name_},
                     .message = Text("cannot read: ", error == EISDIR ? "it is a directory" : std::strerror(error))});
  }
  std::string name_;
  int descriptor_ = -1;
  std::uint64_t consumed_ = 0, size_ = 0;
};

class LiveFileSource final : public ByteSource {
 public:
  LiveFileSource(const std::string& path, LiveInput live) : file_(path), live_(std::move(live)) {}

  std::size_t read(char* to, std::size_t n) override {
    int wait = 0;
    for (;;) {
      pollfd ready[] = {{file_.descriptor(), POLLIN, 0}, {live_.stop, POLLIN, 0}};  // a descriptor of -1 is passed over
      const int count = ::poll(ready, 2, wait);
      if (count > 0 && ready[1].revents != 0) {
        stopped_ = true;
        return 0;
      }
      if (count > 0) return file_.read_some(to, n);
      wait = live_.waiting ? live_.waiting() : -1;
    }
  }
  [[nodiscard]] bool live() const override { return true; }
  [[nodiscard]] bool stopped() const override { return stopped_; }
  [[nodiscard]] std::uint64_t consumed() const override { return file_.consumed(); }
  [[nodiscard]] std::uint64_t size() const override { return file_.size(); }

 private:
  FileSource file_;
  LiveInput live_;
  bool stopped_ = false;
};

// The bytes of another source behind some that were read from it already.
class PrefixedSource final : public ByteSource {
 public:
  PrefixedSource(std::string prefix, std::unique_ptr<ByteSource> rest)
      : prefix_(std::move(prefix)), rest_(std::move(rest)) {}
  std::size_t read(char* to, std::size_t n) override {
    const std::size_t first = std::min(n, prefix_.size() - given_);
    if (first > 0) std::memcpy(to, prefix_.data() + given_, first);
    given_ += first;
    if (!rest_ || n == first || (first > 0 && live())) return first;
    return first + rest_->read(to + first, n - first);
  }
  [[nodiscard]] bool live() const override { return rest_ && rest_->live(); }
  [[nodiscard]] bool stopped() const override { return rest_ && rest_->stopped(); }
  [[nodiscard]] std::uint64_t consumed() const override { return rest_ ? rest_->consumed() : given_; }
  [[nodiscard]] std::uint64_t size() const override { return rest_ ? rest_->size() : prefix_.size(); }

 private:
  std::string prefix_;
  std::size_t given_ = 0;
  std::unique_ptr<ByteSource> rest_;
};

class GzipSource final : public ByteSource {
 public:
  GzipSource(std::string name, std::unique_ptr<ByteSource> packed)
      : name_(std::move(name)), packed_(std::move(packed)), input_(kBuffer) {
    if (::inflateInit2(&stream_, 15 + 16) != Z_OK) throw DataError({name_, 0, 0}, "cannot start decompression");
  }
  ~GzipSource() override { ::inflateEnd(&stream_); }
  GzipSource(const GzipSource&) = delete;
  GzipSource& operator=(const GzipSource&) = delete;

  std::size_t read(char* to, std::size_t n) override {
    stream_.next_out = reinterpret_cast<Bytef*>(to);
    stream_.avail_out = static_cast<uInt>(n);
    while (stream_.avail_out > 0) {
      if (stream_.avail_in == 0) {
        if (live() && stream_.avail_out < n) break;
        stream_.avail_in = static_cast<uInt>(packed_->read(input_.data(), input_.size()));
        stream_.next_in = reinterpret_cast<Bytef*>(input_.data());
        if (stream_.avail_in == 0) {
          if (!between_members_ && !stopped()) fail_damaged(name_, "the gzip data end too early: the file was cut");
          break;
        }
      }
      if (between_members_) {  // another member, or zeros that pad the file
        if (*stream_.next_in == 0 && padding_allowed_) {
          ++stream_.next_in;
          --stream_.avail_in;
          continue;
        }
        ::inflateReset(&stream_);
        between_members_ = false;
      }
      const int status = ::inflate(&stream_, Z_NO_FLUSH);
      if (status == Z_STREAM_END) {
        between_members_ = padding_allowed_ = true;
      } else if (status != Z_OK && status != Z_BUF_ERROR) {
        fail_damaged(name_,
                     fmt::format("damaged gzip data ({})", stream_.msg != nullptr ? stream_.msg : "unknown error"));
      }
    }
    return n - stream_.avail_out;
  }
  [[nodiscard]] bool live() const override { return packed_->live(); }
  [[nodiscard]] bool stopped() const override { return packed_->stopped(); }
  [[nodiscard]] std::uint64_t consumed() const override { return packed_->consumed() - stream_.avail_in; }
  [[nodiscard]] std::uint64_t size() const override { return packed_->size(); }

 private:
  std::string name_;
  std::unique_ptr<ByteSource> packed_;
  std::vector<char> input_;
  z_stream stream_{};
  bool between_members_ = false, padding_allowed_ = false;
};

class ZstdSource final : public ByteSource {
 public:
  ZstdSource(std::string name, std::unique_ptr<ByteSource> packed)
      : name_(std::move(name)), packed_(std::move(packed)), input_(kBuffer), stream_(::ZSTD_createDStream()) {
    if (stream_ == nullptr) throw DataError({name_, 0, 0}, "cannot start decompression");
    ::ZSTD_DCtx_setParameter(stream_, ZSTD_d_windowLogMax, 27);  // 128 MB: a larger window is refused, not allocated
  }
  ~ZstdSource() override { ::ZSTD_freeDStream(stream_); }
  ZstdSource(const ZstdSource&) = delete;
  ZstdSource& operator=(const ZstdSource&) = delete;

  std::size_t read(char* to, std::size_t n) override {
    ZSTD_outBuffer out{to, n, 0};
    while (out.pos < out.size) {
      const std::size_t before = out.pos;
      const std::size_t status = ::ZSTD_decompressStream(stream_, &out, &in_);
      if (::ZSTD_isError(status) != 0U)
        fail_damaged(name_, fmt::format("damaged zstd data ({})", ::ZSTD_getErrorName(status)));
      if (status == 0) in_frame_ = false;
      if (out.pos > before || in_.pos < in_.size) continue;
      if (live() && out.pos > 0) break;
      in_ = {input_.data(), packed_->read(input_.data(), input_.size()), 0};
      if (in_.size == 0) {
        if (in_frame_ && !stopped()) fail_damaged(name_, "the zstd data end too early: the file was cut");
        break;
      }
      in_frame_ = true;
    }
    return out.pos;
  }
  [[nodiscard]] bool live() const override { return packed_->live(); }
  [[nodiscard]] bool stopped() const override { return packed_->stopped(); }
  [[nodiscard]] std::uint64_t consumed() const override { return packed_->consumed() - (in_.size - in_.pos); }
  [[nodiscard]] std::uint64_t size() const override { return packed_->size(); }

 private:
  std::string name_;
  std::unique_ptr<ByteSource> packed_;
  std::vector<char> input_;
  ZSTD_DStream* stream_;
  ZSTD_inBuffer in_{nullptr, 0, 0};
  bool in_frame_ = false;
};

class XzSource final : public ByteSource {
 public:
  XzSource(std::string name, std::unique_ptr<ByteSource> packed)
      : name_(std::move(name)), packed_(std::move(packed)), input_(kBuffer) {
    constexpr std::uint64_t kMostMemory = 160UL
                                          << 20;  // a dictionary of 128 MB; a larger one is refused, not allocated
    if (::lzma_stream_decoder(&stream_, kMostMemory, LZMA_CONCATENATED) != LZMA_OK)
      throw DataError({name_, 0, 0}, "cannot start decompression");
  }
  ~XzSource() override { ::lzma_end(&stream_); }
  XzSource(const XzSource&) = delete;
  XzSource& operator=(const XzSource&) = delete;

  std::size_t read(char* to, std::size_t n) override {
    stream_.next_out = reinterpret_cast<std::uint8_t*>(to);
    stream_.avail_out = n;
    while (stream_.avail_out > 0 && !done_) {
      if (stream_.avail_in == 0 && !ended_) {
        if (live() && stream_.avail_out < n) break;
        stream_.next_in = reinterpret_cast<const std::uint8_t*>(input_.data());
        stream_.avail_in = packed_->read(input_.data(), input_.size());
        ended_ = stream_.avail_in == 0;
        if (ended_ && stopped()) break;
      }
      const lzma_ret status = ::lzma_code(&stream_, ended_ ? LZMA_FINISH : LZMA_RUN);
      done_ = status == LZMA_STREAM_END;
      if (status != LZMA_OK && !done_) fail_damaged(name_, what_is_wrong(status));
    }
    return n - stream_.avail_out;
  }
  [[nodiscard]] bool live() const override { return packed_->live(); }
  [[nodiscard]] bool stopped() const override { return packed_->stopped(); }
  [[nodiscard]] std::uint64_t consumed() const override { return packed_->consumed() - stream_.avail_in; }
  [[nodiscard]] std::uint64_t size() const override { return packed_->size(); }

 private:
  [[nodiscard]] std::string what_is_wrong(lzma_ret status) const {
    if (status == LZMA_BUF_ERROR && ended_) return "the xz data end too early: the file was cut";
    if (status == LZMA_MEMLIMIT_ERROR)
      return fmt::format("unpacking the xz data needs {} MB of memory, expected at most 160 MB; pack them with xz -9",
                         ::lzma_memusage(&stream_) >> 20);
    return fmt::format("damaged xz data ({})", status == LZMA_DATA_ERROR      ? "corrupt"
                                               : status == LZMA_FORMAT_ERROR  ? "not xz"
                                               : status == LZMA_OPTIONS_ERROR ? "unsupported options"
                                               : status == LZMA_MEM_ERROR     ? "not enough memory"
                                                                              : "unknown error");
  }
  std::string name_;
  std::unique_ptr<ByteSource> packed_;
  std::vector<char> input_;
  lzma_stream stream_ = LZMA_STREAM_INIT;
  bool ended_ = false, done_ = false;
};

class Bzip2Source final : public ByteSource {
 public:
  Bzip2Source(std::string name, std::unique_ptr<ByteSource> packed)
      : name_(std::move(name)), packed_(std::move(packed)), input_(kBuffer) {
    begin();
  }
  ~Bzip2Source() override { ::BZ2_bzDecompressEnd(&stream_); }
  Bzip2Source(const Bzip2Source&) = delete;
  Bzip2Source& operator=(const Bzip2Source&) = delete;

  std::size_t read(char* to, std::size_t n) override {
    stream_.next_out = to;
    stream_.avail_out = static_cast<unsigned>(n);
    while (stream_.avail_out > 0) {
      if (stream_.avail_in == 0) {
        if (live() && stream_.avail_out < n) break;
        stream_.next_in = input_.data();
        stream_.avail_in = static_cast<unsigned>(packed_->read(input_.data(), input_.size()));
        if (stream_.avail_in == 0) {
          if (!between_streams_ && !stopped()) fail_damaged(name_, "the bzip2 data end too early: the file was cut");
          break;
        }
      }
      if (between_streams_) {  // another one: programs that pack in parallel write many
        const bz_stream place = stream_;
        ::BZ2_bzDecompressEnd(&stream_);
        stream_ = {};
        begin();
        stream_.next_in = place.next_in;
        stream_.avail_in = place.avail_in;
        stream_.next_out = place.next_out;
        stream_.avail_out = place.avail_out;
        between_streams_ = false;
      }
      const int status = ::BZ2_bzDecompress(&stream_);
      if (status == BZ_STREAM_END)
        between_streams_ = true;
      else if (status != BZ_OK)
        fail_damaged(name_, fmt::format("damaged bzip2 data ({})", status == BZ_DATA_ERROR         ? "corrupt"
                                                                   : status == BZ_DATA_ERROR_MAGIC ? "not bzip2"
                                                                   : status == BZ_MEM_ERROR        ? "not enough memory"
                                                                                                   : "unknown error"));
    }
    return n - stream_.avail_out;
  }
  [[nodiscard]] bool live() const override { return packed_->live(); }
  [[nodiscard]] bool stopped() const override { return packed_->stopped(); }
  [[nodiscard]] std::uint64_t consumed() const override { return packed_->consumed() - stream_.avail_in; }
  [[nodiscard]] std::uint64_t size() const override { return packed_->size(); }

 private:
  void begin() {
    if (::BZ2_bzDecompressInit(&stream_, 0, 0) != BZ_OK) throw DataError({name_, 0, 0}, "cannot start decompression");
  }
  std::string name_;
  std::unique_ptr<ByteSource> packed_;
  std::vector<char> input_;
  bz_stream stream_{};
  bool between_streams_ = false;
};

template <class Unpacker>
std::unique_ptr<ByteSource> unpack(const std::string& name, std::unique_ptr<ByteSource> packed) {
  return std::make_unique<Unpacker>(name, std::move(packed));
}

struct Packing {
  std::string_view first;  // bytes of every file; '?' stands for a digit
  std::unique_ptr<ByteSource> (*unpack)(const std::string& name, std::unique_ptr<ByteSource> packed);

  // Whether a file that begins with these bytes, as many as there are, may be one.
  [[nodiscard]] bool may_be(std::string_view bytes) const {
    for (std::size_t k = 0; k < std::min(bytes.size(), first.size()); ++k)
      if (first[k] == '?' ? bytes[k] < '0' || bytes[k] > '9' : bytes[k] != first[k]) return false;
    return true;
  }
};

constexpr Packing kPackings[] = {{"\x1f\x8b", unpack<GzipSource>},
                                 {"\x28\xb5\x2f\xfd", unpack<ZstdSource>},
                                 {{"\xfd"
                                   "7zXZ\0",
                                   6},
                                  unpack<XzSource>},
                                 {"BZh?1AY&SY", unpack<Bzip2Source>},
                                 {"BZh?\x17rE8P\x90", unpack<Bzip2Source>}};  // the second: of nothing

constexpr std::size_t kLongestMagic = 10;

// How a file that begins like this is packed; null: it is not.
const Packing* packing_of(std::string_view first) {
  const auto found = std::find_if(std::begin(kPackings), std::end(kPackings), [&](const Packing& candidate) {
    return first.size() >= candidate.first.size() && candidate.may_be(first);
  });
  return found == std::end(kPackings) ? nullptr : found;
}

std::unique_ptr<ByteSource> unpacked(const std::string& name, std::unique_ptr<ByteSource> source) {
  std::string first;
  const auto undecided = [&] {
    return std::any_of(std::begin(kPackings), std::end(kPackings), [&](const Packing& packing) {
      return first.size() < packing.first.size() && packing.may_be(first);
    });
  };
  char more[kLongestMagic];
  do {  // a live source gives fewer bytes; then only those of a packed one are waited for
    const std::size_t got = source->read(more, kLongestMagic - first.size());
    if (got == 0) break;
    first.append(more, got);
  } while (undecided());
  const Packing* const packing = packing_of(first);
  auto whole = std::make_unique<PrefixedSource>(std::move(first), std::move(source));
  if (packing != nullptr) return packing->unpack(name, std::move(whole));
  return whole;
}

}  // namespace

bool can_read_again(const std::string& path) {
  struct stat status {};
  return path != "-" && ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

std::unique_ptr<ByteSource> open_source(const std::string& path) {
  return unpacked(path == "-" ? "standard input" : path, std::make_unique<FileSource>(path));
}

namespace {

// So many bytes from where a file stands.
class RangeSource final : public ByteSource {
 public:
  RangeSource(std::unique_ptr<FileSource> file, std::uint64_t bytes)
      : file_(std::move(file)), left_(bytes), size_(bytes) {}
  std::size_t read(char* to, std::size_t n) override {
    const std::size_t got = file_->read(to, static_cast<std::size_t>(std::min<std::uint64_t>(n, left_)));
    left_ -= got;
    return got;
  }
  [[nodiscard]] std::uint64_t consumed() const override { return size_ - left_; }
  [[nodiscard]] std::uint64_t size() const override { return size_; }

 private:
  std::unique_ptr<FileSource> file_;
  std::uint64_t left_, size_;
};

// Where the first line begins that does not begin before `offset`.
std::uint64_t line_from(int descriptor, std::uint64_t offset, std::uint64_t size) {
  if (offset == 0) return 0;
  std::vector<char> buffer(kBuffer);
  for (std::uint64_t at = offset - 1; at < size;) {
    const ssize_t got = ::pread(descriptor, buffer.data(), buffer.size(), static_cast<off_t>(at));
    if (got <= 0) break;
    const std::string_view text(buffer.data(), static_cast<std::size_t>(got));
    if (const std::size_t end = text.find('\n'); end != std::string_view::npos) return at + end + 1;
    at += text.size();
  }
  return size;
}

}  // namespace

std::unique_ptr<ByteSource> open_part(const std::string& path, std::uint64_t header, const FilePart& part) {
  const auto refuse = [&](const char* found) {
    throw DataError({.code = Code::unsupported,
                     .place = {path == "-" ? "standard input" : path},
                     .message = fmt::format("{} cannot be divided into shards", found),
                     .found = found,
                     .expected = "a plain file",
                     .remedy = "give each shard a file of its own"});
  };
  if (!can_read_again(path)) refuse("a pipe");
  auto file = std::make_unique<FileSource>(path);
  std::string first(kLongestMagic, '\0');
  first.resize(file->read(first.data(), first.size()));
  if (packing_of(first) != nullptr) refuse("a compressed file");
  const std::uint64_t size = file->size(), rows = size - std::min(size, header);
  const auto begin_of = [&](std::uint64_t number) {
    if (number == 0) return size - rows;
    if (number == part.of) return size;
    return line_from(file->descriptor(), size - rows + rows / part.of * number + rows % part.of * number / part.of,
                     size);
  };
  const std::uint64_t begin = begin_of(part.number), end = begin_of(part.number + 1);
  if (::lseek(file->descriptor(), static_cast<off_t>(begin), SEEK_SET) < 0) refuse("this file");
  return std::make_unique<RangeSource>(std::move(file), end - std::min(begin, end));
}

std::unique_ptr<ByteSource> open_live_source(const std::string& path, LiveInput live) {
  return unpacked(path == "-" ? "standard input" : path, std::make_unique<LiveFileSource>(path, std::move(live)));
}

std::unique_ptr<ByteSource> memory_source(std::string bytes) {
  return unpacked("memory", std::make_unique<PrefixedSource>(std::move(bytes), nullptr));
}

}  // namespace postil
