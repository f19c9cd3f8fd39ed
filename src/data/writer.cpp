#include "postil/data.hpp"

#include <bzlib.h>
#include <fmt/format.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include <cmath>
#include <memory>
#include <new>

#include "postil/error.hpp"
#include "postil/output_file.hpp"
#include "postil/text.hpp"
#include "source.hpp"

namespace postil {
namespace {

// Compresses bytes on their way into a file.
class Packer {
 public:
  explicit Packer(OutputFile& file) : file_(file), room_(kBuffer, '\0') {}
  virtual ~Packer() = default;
  Packer(const Packer&) = delete;
  Packer& operator=(const Packer&) = delete;

  void write(std::string_view bytes, bool last) {
    set_input(bytes);
    for (bool more = true; more;) {
      std::size_t left = room_.size();
      more = step(room_.data(), left, last);
      file_.write(std::string_view(room_).substr(0, room_.size() - left));
    }
  }

 protected:
  virtual void set_input(std::string_view bytes) = 0;
  // Fills `to`, of which `left` bytes remain; whether there is more to come.
  virtual bool step(char* to, std::size_t& left, bool last) = 0;
  [[noreturn]] static void fail(const std::string& path) { throw DataError({path, 0, 0}, "cannot start compression"); }

 private:
  OutputFile& file_;
  std::string room_;
};

class GzipPacker final : public Packer {
 public:
  GzipPacker(const std::string& path, OutputFile& file) : Packer(file) {
    if (::deflateInit2(&stream_, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) fail(path);
  }
  ~GzipPacker() override { ::deflateEnd(&stream_); }

 private:
  void set_input(std::string_view bytes) override {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));  // zlib does not write there
    stream_.avail_in = static_cast<uInt>(bytes.size());
  }
  bool step(char* to, std::size_t& left, bool last) override {
    stream_.next_out = reinterpret_cast<Bytef*>(to);
    stream_.avail_out = static_cast<uInt>(left);
    const int status = ::deflate(&stream_, last ? Z_FINISH : Z_NO_FLUSH);
    left = stream_.avail_out;
    return left == 0 || (last && status != Z_STREAM_END);
  }
  z_stream stream_{};
};

class ZstdPacker final : public Packer {
 public:
  ZstdPacker(const std::string& path, OutputFile& file) : Packer(file), context_(::ZSTD_createCCtx()) {
    if (context_ == nullptr) fail(path);
  }
  ~ZstdPacker() override { ::ZSTD_freeCCtx(context_); }

 private:
  void set_input(std::string_view bytes) override { in_ = {bytes.data(), bytes.size(), 0}; }
  bool step(char* to, std::size_t& left, bool last) override {
    ZSTD_outBuffer out{to, left, 0};
    const std::size_t remaining = ::ZSTD_compressStream2(context_, &out, &in_, last ? ZSTD_e_end : ZSTD_e_continue);
    left -= out.pos;
    return in_.pos < in_.size || (last && remaining > 0);
  }
  ZSTD_CCtx* context_;
  ZSTD_inBuffer in_{nullptr, 0, 0};
};

class XzPacker final : public Packer {
 public:
  XzPacker(const std::string& path, OutputFile& file) : Packer(file) {
    if (::lzma_easy_encoder(&stream_, 6, LZMA_CHECK_CRC64) != LZMA_OK) fail(path);
  }
  ~XzPacker() override { ::lzma_end(&stream_); }

 private:
  void set_input(std::string_view bytes) override {
    stream_.next_in = reinterpret_cast<const std::uint8_t*>(bytes.data());
    stream_.avail_in = bytes.size();
  }
  bool step(char* to, std::size_t& left, bool last) override {
    stream_.next_out = reinterpret_cast<std::uint8_t*>(to);
    stream_.avail_out = left;
    const lzma_ret status = ::lzma_code(&stream_, last ? LZMA_FINISH : LZMA_RUN);
    if (status == LZMA_MEM_ERROR) throw std::bad_alloc();
    left = stream_.avail_out;
    return left == 0 || (last && status == LZMA_OK);
  }
  lzma_stream stream_ = LZMA_STREAM_INIT;
};

class Bzip2Packer final : public Packer {
 public:
  Bzip2Packer(const std::string& path, OutputFile& file) : Packer(file) {
    if (::BZ2_bzCompressInit(&stream_, 9, 0, 0) != BZ_OK) fail(path);
  }
  ~Bzip2Packer() override { ::BZ2_bzCompressEnd(&stream_); }

 private:
  void set_input(std::string_view bytes) override {
    stream_.next_in = const_cast<char*>(bytes.data());  // it does not write there
    stream_.avail_in = static_cast<unsigned>(bytes.size());
  }
  bool step(char* to, std::size_t& left, bool last) override {
    if (stream_.avail_in == 0 && !last) return false;  // it would call that an error
    stream_.next_out = to;
    stream_.avail_out = static_cast<unsigned>(left);
    const int status = ::BZ2_bzCompress(&stream_, last ? BZ_FINISH : BZ_RUN);
    left = stream_.avail_out;
    return stream_.avail_in > 0 || (last && status != BZ_STREAM_END);
  }
  bz_stream stream_{};
};

// An output file whose bytes may be compressed on the way.
class PackedFile {
 public:
  explicit PackedFile(const std::string& path) : file_(path) {
    if (path.ends_with(".gz")) packer_ = std::make_unique<GzipPacker>(path, file_);
    if (path.ends_with(".zst")) packer_ = std::make_unique<ZstdPacker>(path, file_);
    if (path.ends_with(".xz")) packer_ = std::make_unique<XzPacker>(path, file_);
    if (path.ends_with(".bz2")) packer_ = std::make_unique<Bzip2Packer>(path, file_);
  }

  void write(std::string_view bytes, bool last) {
    if (packer_)
      packer_->write(bytes, last);
    else
      file_.write(bytes);
    if (last) file_.commit();
  }

 private:
  OutputFile file_;
  std::unique_ptr<Packer> packer_;
};

void append(std::string& text, double value) {
  if (value == 0)
    text += '0';
  else
    fmt::format_to(std::back_inserter(text), "{}", value);
}

}  // namespace

std::string csv_cell(std::string_view text) {
  const bool odd_ends = !text.empty() && (text.front() == ' ' || text.back() == ' ' || text.front() == '\t' ||
                                          text.back() == '\t' || text.front() == '#');
  if (!odd_ends && text.find_first_of("\",\n\r;|\t") == std::string_view::npos) return std::string(text);
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

struct Writer::Impl {
  Impl(const std::string& path, Format row_format, std::size_t columns)
      : file(path), format(row_format), width(columns) {}

  void line_done() {
    text += '\n';
    if (text.size() < kBuffer) return;
    file.write(text, false);
    text.clear();
  }

  void csv_row(const Row& row) {
    for (std::size_t j = 0, k = 0; j < width; ++j) {
      const double value = k < row.count && row.index(k) == j ? row.value(k++) : 0;
      if (!std::isnan(value)) append(text, value);
      text += ',';
    }
  }
  void libsvm_row(const Row& row) {
    for (std::size_t k = 0; k < row.count; ++k) {
      const double value = row.value(k);
      if (value == 0) continue;
      if (std::isnan(value))
        throw DataError(
            {.code = Code::unsupported, .message = "missing values cannot be written as LIBSVM text; write CSV"});
      fmt::format_to(std::back_inserter(text), " {}:", row.index(k) + 1);
      append(text, value);
    }
  }

  PackedFile file;
  Format format;
  std::size_t width;
  std::string text;
};

namespace {

Format writable(Format format) {
  if (format == Format::csv || format == Format::libsvm) return format;
  throw ParamError({.code = Code::unsupported,
                    .subject = {"format"},
                    .message = fmt::format("{} is read, but not written", word(format)),
                    .found = std::string(word(format)),
                    .expected = "csv or libsvm",
                    .remedy = "csv and libsvm are written"});
}

}  // namespace

Writer::Writer(const std::string& path, Format format, const std::vector<std::string>& names,
               const std::string& label_name)
    : impl_(std::make_unique<Impl>(path, writable(format), names.size())) {
  if (format == Format::libsvm) return;
  std::vector<std::string> header = names;
  header.push_back(label_name);
  write_cells(header);
}
Writer::~Writer() = default;

void Writer::write(const Row& row, std::string_view label) {
  Impl& impl = *impl_;
  if (impl.format == Format::libsvm) {
    if (label.find_first_of(" \t\n\r:") != std::string_view::npos || label.starts_with('#'))
      throw DataError({.code = Code::unsupported,
                       .subject = {"class", shown(label)},
                       .message = Text("label ", in_quotes(label),
                                       " cannot be written as LIBSVM text: it holds white space or a colon, or begins "
                                       "with #"),
                       .found = shown(label)});
    impl.text += label.empty() ? std::string_view("?") : label;
    impl.libsvm_row(row);
  } else {
    impl.csv_row(row);
    impl.text += csv_cell(label);
  }
  impl.line_done();
}

void Writer::write_cells(const std::vector<std::string>& cells) {
  for (std::size_t c = 0; c < cells.size(); ++c) {
    if (c > 0) impl_->text += ',';
    impl_->text += csv_cell(cells[c]);
  }
  impl_->line_done();
}

void Writer::commit() { impl_->file.write(impl_->text, true); }

}  // namespace postil
