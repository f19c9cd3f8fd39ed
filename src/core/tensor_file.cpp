// tensor_file.cpp: the safetensors format (docs/model-file.md).
//
//   8 bytes     length of the header, little endian
//   header      JSON: {"__metadata__": {text: text}, name: {"dtype", "shape", "data_offsets": [begin, end]}},
//               padded with spaces to a multiple of 8 bytes
//   data        the tensors without gaps, little endian; the file ends with the last one
#include "core/tensor_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>

#include "postil/error.hpp"
#include "postil/text.hpp"
#include "strict_json.hpp"

namespace postil {
namespace {

using Json = nlohmann::json;

static_assert(std::endian::native == std::endian::little, "model files hold little-endian numbers");

constexpr std::size_t kLongestHeader = 100'000'000;
constexpr std::string_view kNoChecksum = "00000000";

struct TypeName {
  const char* name;
  std::size_t bytes;
};
constexpr TypeName kTypes[] = {{"F64", 8}, {"U64", 8}, {"U8", 1}};  // in the order of Tensor's alternatives

std::string_view bytes_of(const Tensor& tensor) {
  return std::visit(
      [](const auto& values) {
        return std::string_view(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(values[0]));
      },
      tensor);
}

template <class T>
Tensor copied(std::string_view bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

std::string checksum(std::string_view bytes) {
  return fmt::format("{:08x}", ::crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

// Where the checksum's eight digits stand in the header.
std::size_t checksum_place(std::string_view bytes, std::string_view digits) {
  return bytes.find(fmt::format("\"checksum\":\"{}\"", digits));
}
constexpr std::size_t kChecksumPrefix = std::string_view("\"checksum\":\"").size();

// Needs at least 8 bytes.
std::uint64_t header_length(std::string_view bytes) {
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), sizeof length);
  return length;
}

class Decoder {
 public:
  Decoder(std::string_view bytes, const std::string& name) : bytes_(bytes), name_(name) {}

  TensorFile run() {
    const Json header = parse_header();
    TensorFile file;
    std::map<std::uint64_t, std::pair<std::uint64_t, std::string>> ranges;  // begin -> end, name
    for (const auto& [key, entry] : header.items()) {
      if (key == "__metadata__")
        read_metadata(entry, file);
      else
        read_tensor(key, entry, file, ranges);
    }
    check_checksum(file);
    std::uint64_t end = 0;
    for (const auto& [begin, range] : ranges) {
      if (begin != end)
        fail_tensor(range.second, fmt::format("starts at {}, expected {}", begin, end), fmt::format("{}", begin),
                    fmt::format("{}", end));
      end = range.first;
    }
    if (end != data_.size())
      fail({.code = Code::damaged_file,
            .message = fmt::format("{} bytes of tensors, expected {}: the file was cut or altered", data_.size(), end),
            .found = fmt::format("{} bytes", data_.size()),
            .expected = fmt::format("{} bytes", end)});
    return file;
  }

 private:
  Json parse_header() {
    if (bytes_.empty()) fail("not a Postil model: the file is empty");
    if (bytes_.size() < 8) fail_foreign();
    const std::uint64_t length = header_length(bytes_);
    if (length > kLongestHeader) fail_foreign();
    if (length > bytes_.size() - 8) {
      if (bytes_.size() > 8 && bytes_[8] != '{') fail_foreign();
      fail({.code = Code::damaged_file,
            .message = fmt::format("the file was cut: it has {} bytes, and its header alone needs {}", bytes_.size(),
                                   length + 8),
            .found = fmt::format("{} bytes", bytes_.size())});
    }
    header_ = bytes_.substr(8, length);
    data_ = bytes_.substr(8 + length);
    Json header;
    try {
      header = parse_strictly(header_);
    } catch (const JsonMistake& mistake) {
      fail(fmt::format("its header is damaged: {}", mistake.what()));
    } catch (const Json::exception&) {
    }
    if (!header.is_object()) fail("not a Postil model: its header is not a JSON object");
    return header;
  }

  void read_metadata(const Json& entry, TensorFile& file) {
    if (!entry.is_object()) fail("__metadata__ is not an object");
    for (const auto& [key, value] : entry.items()) {
      if (!value.is_string()) fail(fmt::format("metadata '{}' is not a text", key));
      file.metadata[key] = value.get<std::string>();
    }
  }

  void read_tensor(const std::string& key, const Json& entry, TensorFile& file,
                   std::map<std::uint64_t, std::pair<std::uint64_t, std::string>>& ranges) {
    const auto field = [&](const char* name) -> const Json& {
      if (!entry.is_object() || !entry.contains(name)) fail_tensor(key, fmt::format("has no {}", name));
      return entry[name];
    };
    const auto whole = [&](const Json& number) -> std::uint64_t {
      if (!number.is_number_unsigned()) fail_tensor(key, "has a size or place that is not a whole number");
      return number.get<std::uint64_t>();
    };
    const Json& dtype = field("dtype");
    const Json& shape = field("shape");
    const Json& offsets = field("data_offsets");
    if (!shape.is_array() || shape.size() != 1) fail_tensor(key, "does not have one dimension");
    if (!offsets.is_array() || offsets.size() != 2) fail_tensor(key, "has no begin and end");
    const std::uint64_t begin = whole(offsets[0]), end = whole(offsets[1]), count = whole(shape[0]);
    if (begin > end || end > data_.size()) fail_tensor(key, "lies outside the file: the file was cut or altered");
    std::size_t type = 0;
    while (type < std::size(kTypes) && dtype != kTypes[type].name) ++type;
    if (type == std::size(kTypes)) fail_tensor(key, "has a type that Postil does not use");
    if (count != (end - begin) / kTypes[type].bytes || (end - begin) % kTypes[type].bytes != 0)
      fail_tensor(key, fmt::format("has {} bytes, which do not fit its shape", end - begin));
    const std::string_view part = data_.substr(begin, end - begin);
    file.tensors[key] = type == 0   ? copied<double>(part)
                        : type == 1 ? copied<std::uint64_t>(part)
                                    : copied<std::uint8_t>(part);
    if (begin != end) ranges[begin] = {end, key};
  }

  void check_checksum(const TensorFile& file) const {
    const auto stated = file.metadata.find("checksum");
    if (stated == file.metadata.end()) fail("not a Postil model: it has no checksum");
    const std::size_t place = checksum_place(header_, stated->second);
    if (stated->second.size() != kNoChecksum.size() || place == std::string_view::npos)
      fail("its checksum is not eight digits");
    const std::size_t digits = 8 + place + kChecksumPrefix;
    const auto* data = reinterpret_cast<const Bytef*>(bytes_.data());
    uLong crc = ::crc32_z(0, data, digits);
    crc = ::crc32_z(crc, reinterpret_cast<const Bytef*>(kNoChecksum.data()), kNoChecksum.size());
    crc = ::crc32_z(crc, data + digits + kNoChecksum.size(), bytes_.size() - digits - kNoChecksum.size());
    const std::string found = fmt::format("{:08x}", crc);
    if (found != stated->second)
      fail({.code = Code::damaged_file,
            .subject = {"checksum"},
            .message =
                fmt::format("its checksum is {}, expected {}: the file was cut or altered", found, stated->second),
            .found = found,
            .expected = stated->second});
  }

  // A file that begins like no model.
  [[noreturn]] void fail_foreign() const {
    const std::string_view start = bytes_.substr(0, 1024);
    const bool text = std::none_of(start.begin(), start.end(), [](char c) {
      return (c >= 0 && c < ' ' && c != '\t' && c != '\n' && c != '\r') || c == '\x7f';
    });
    Failure problem{.code = Code::damaged_file, .message = "not a Postil model"};
    if (text && (start.size() == 1024 || valid_utf8(start)))
      problem.remedy = "the file holds text; are the model and the data named in the right order?";
    fail(std::move(problem));
  }
  [[noreturn]] void fail(const std::string& message) const { throw ModelError({name_}, message); }
  [[noreturn]] void fail(Failure problem) const {
    problem.place = {name_};
    throw ModelError(std::move(problem));
  }
  [[noreturn]] void fail_tensor(const std::string& tensor, const std::string& what, std::string found = {},
                                std::string expected = {}) const {
    fail({.code = Code::damaged_file,
          .subject = {"tensor", shown(tensor)},
          .message = fmt::format("tensor {} {}", in_quotes(tensor), what),
          .found = std::move(found),
          .expected = std::move(expected)});
  }

  std::string_view bytes_, header_, data_;
  const std::string& name_;
};

}  // namespace

std::string TensorFile::encode() const {
  Json header = Json::object();
  header["__metadata__"] = metadata;
  header["__metadata__"]["checksum"] = kNoChecksum;
  std::uint64_t offset = 0;
  for (const auto& [name, tensor] : tensors) {
    const std::uint64_t size = bytes_of(tensor).size();
    const TypeName& type = kTypes[tensor.index()];
    header[name] = {{"dtype", type.name}, {"shape", {size / type.bytes}}, {"data_offsets", {offset, offset + size}}};
    offset += size;
  }
  std::string text = header.dump();
  text.append((8 - text.size() % 8) % 8, ' ');
  if (text.size() > kLongestHeader)
    throw ModelError({}, fmt::format("the model's header has {} bytes, more than {}", text.size(), kLongestHeader));
  std::string bytes(8, '\0');
  const std::uint64_t length = text.size();
  std::memcpy(bytes.data(), &length, 8);
  bytes.reserve(8 + text.size() + offset);
  bytes += text;
  for (const auto& [name, tensor] : tensors) bytes += bytes_of(tensor);
  bytes.replace(8 + checksum_place(text, kNoChecksum) + kChecksumPrefix, kNoChecksum.size(), checksum(bytes));
  return bytes;
}

TensorFile TensorFile::decode(std::string_view bytes, const std::string& name) { return Decoder(bytes, name).run(); }

std::string read_tensor_bytes(const std::string& path) {
  const auto fail = [&](int error) {
    throw DataError(
        {.code = Code::cannot_read, .place = {path}, .message = fmt::format("cannot read: {}", std::strerror(error))});
  };
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) fail(errno);
  std::string bytes;  // grows with what is really there, never by what a header claims
  char buffer[1 << 16];
  for (;;) {
    const ssize_t got = ::read(descriptor, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    const int error = errno;
    if (got <= 0) ::close(descriptor);
    if (got < 0) fail(error);
    if (got == 0) break;
    const bool first = bytes.size() < 8;
    bytes.append(buffer, static_cast<std::size_t>(got));
    if (first && bytes.size() >= 8 &&
        (header_length(bytes) > kLongestHeader ||
         header_length(bytes) < 2)) {  // refused before reading the rest of what may be anything
      ::close(descriptor);
      break;
    }
  }
  return bytes;
}

}  // namespace postil
