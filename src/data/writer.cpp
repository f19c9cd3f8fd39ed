#include "postil/data.hpp"

#include <fmt/format.h>
#include <zlib.h>
#include <zstd.h>

#include <cmath>

#include "postil/error.hpp"
#include "postil/output_file.hpp"
#include "postil/text.hpp"
#include "source.hpp"

namespace postil {
namespace {

// An output file whose bytes may be compressed on the way.
class PackedFile {
 public:
  explicit PackedFile(const std::string& path) : file_(path), packed_(kBuffer, '\0') {
    if (path.ends_with(".gz")) {
      gzip_ = true;
      if (::deflateInit2(&deflate_, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        throw DataError({path, 0, 0}, "cannot start compression");
    } else if (path.ends_with(".zst")) {
      zstd_ = ::ZSTD_createCCtx();
      if (zstd_ == nullptr) throw DataError({path, 0, 0}, "cannot start compression");
    }
  }
  ~PackedFile() {
    if (gzip_) ::deflateEnd(&deflate_);
    ::ZSTD_freeCCtx(zstd_);
  }
  PackedFile(const PackedFile&) = delete;
  PackedFile& operator=(const PackedFile&) = delete;

  void write(std::string_view bytes, bool last) {
    if (gzip_)
      write_gzip(bytes, last);
    else if (zstd_ != nullptr)
      write_zstd(bytes, last);
    else
      file_.write(bytes);
    if (last) file_.commit();
  }

 private:
  void write_gzip(std::string_view bytes, bool last) {
    deflate_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));  // zlib does not write there
    deflate_.avail_in = static_cast<uInt>(bytes.size());
    int status = Z_OK;
    do {
      deflate_.next_out = reinterpret_cast<Bytef*>(packed_.data());
      deflate_.avail_out = static_cast<uInt>(packed_.size());
      status = ::deflate(&deflate_, last ? Z_FINISH : Z_NO_FLUSH);
      file_.write(std::string_view(packed_).substr(0, packed_.size() - deflate_.avail_out));
    } while (deflate_.avail_out == 0 || (last && status != Z_STREAM_END));
  }
  void write_zstd(std::string_view bytes, bool last) {
    ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
    std::size_t remaining = 0;
    do {
      ZSTD_outBuffer out{packed_.data(), packed_.size(), 0};
      remaining = ::ZSTD_compressStream2(zstd_, &out, &in, last ? ZSTD_e_end : ZSTD_e_continue);
      file_.write(std::string_view(packed_).substr(0, out.pos));
    } while (in.pos < in.size || (last && remaining > 0));
  }

  OutputFile file_;
  std::string packed_;
  bool gzip_ = false;
  z_stream deflate_{};
  ZSTD_CCtx* zstd_ = nullptr;
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

Writer::Writer(const std::string& path, Format format, const std::vector<std::string>& names,
               const std::string& label_name)
    : impl_(std::make_unique<Impl>(path, format, names.size())) {
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
