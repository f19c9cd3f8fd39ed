// Writers of CSV and LIBSVM text, plain or, by the ending of the name, .gz or .zst.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "postil/reader.hpp"
#include "postil/row.hpp"

namespace postil {

class Writer {
 public:
  // Needs: format csv or libsvm. CSV has a header with these names and the label's last; LIBSVM writes no names.
  Writer(const std::string& path, Format format, const std::vector<std::string>& names, const std::string& label_name);
  ~Writer();
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  void write(const Row& row, std::string_view label);       // numbers print so that they read back exactly
  void write_cells(const std::vector<std::string>& cells);  // CSV only: a row of texts
  void commit();                                            // without it nothing remains; see OutputFile

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

std::string csv_cell(std::string_view text);  // quoted where it must be

}  // namespace postil
