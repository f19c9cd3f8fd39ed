// Named tensors and short texts in one file: the safetensors format, with a checksum.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace postil {

// One-dimensional tensors only: every state we keep is a list of numbers or bytes.
using Tensor =
    std::variant<std::vector<double>, std::vector<std::uint64_t>, std::vector<std::uint8_t>>;  // F64, U64, U8

struct TensorFile {
  std::map<std::string, std::string> metadata;
  std::map<std::string, Tensor> tensors;

  [[nodiscard]] std::string encode() const;  // the bytes of the file; adds metadata "checksum"
  static TensorFile decode(std::string_view bytes, const std::string& name);  // throws ModelError naming the file
};

// The bytes of a file, unless it begins like no tensor file: then only those. Throws DataError if it cannot be read.
std::string read_tensor_bytes(const std::string& path);

}  // namespace postil
