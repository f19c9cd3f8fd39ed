// Files: atomic writing, tensor files, model files.
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <filesystem>

#include "core/tensor_file.hpp"
#include "support.hpp"

namespace postil {
namespace {

using test::file_text;
using test::message_of;
using test::TemporaryFolder;
using test::write_text;

TEST(OutputFile, WritesNothingWithoutCommit) {
  const TemporaryFolder folder;
  write_text(folder.path("a"), "old");
  {
    OutputFile out(folder.path("a"));
    out.write("new");
  }
  EXPECT_EQ(file_text(folder.path("a")), "old");
  EXPECT_EQ(folder.names().size(), 1U);
  OutputFile out(folder.path("a"));
  out.write("new");
  EXPECT_EQ(file_text(folder.path("a")), "old");
  out.commit();
  EXPECT_EQ(file_text(folder.path("a")), "new");
  EXPECT_EQ(folder.names().size(), 1U);
}

TEST(OutputFile, KeepsPermissionsAndFollowsLinks) {
  const TemporaryFolder folder;
  write_text(folder.path("target"), "old");
  ::chmod(folder.path("target").c_str(), 0640);
  std::filesystem::create_symlink("target", folder.path("link"));
  OutputFile out(folder.path("link"));
  out.write("new");
  out.commit();
  EXPECT_TRUE(std::filesystem::is_symlink(folder.path("link")));
  EXPECT_EQ(file_text(folder.path("target")), "new");
  struct stat status {};
  ::stat(folder.path("target").c_str(), &status);
  EXPECT_EQ(status.st_mode & 0777U, 0640U);
  std::filesystem::create_symlink("later", folder.path("dangling"));
  OutputFile second(folder.path("dangling"));
  second.write("x");
  second.commit();
  EXPECT_EQ(file_text(folder.path("later")), "x");
}

TEST(OutputFile, SpecialFilesAreWrittenDirectly) {
  EXPECT_EQ(message_of([] {
              OutputFile out("/dev/full");
              out.write("x");
              out.commit();
            }),
            "/dev/full: cannot write: No space left on device");
  struct stat status {};
  ASSERT_EQ(::stat("/dev/full", &status), 0);
  EXPECT_TRUE(S_ISCHR(status.st_mode));
  const TemporaryFolder folder;
  const std::string pipe = folder.path("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const pid_t reader = ::fork();
  if (reader == 0) ::_exit(file_text(pipe) == "through" ? 0 : 1);
  {
    OutputFile out(pipe);
    out.write("through");
    out.commit();
  }
  int exit_status = -1;
  ::waitpid(reader, &exit_status, 0);
  EXPECT_EQ(exit_status, 0);
  EXPECT_EQ(message_of([&] { OutputFile out(folder.path("")); }).substr(folder.path("").size()),
            ": cannot write: it is a directory");
  EXPECT_NE(message_of([&] { OutputFile out(folder.path("no/such/folder")); }), "");
}

TensorFile sample() {
  TensorFile file;
  file.metadata["a"] = "text with \"checksum\":\"00000000\" in it";
  file.tensors["x"] = std::vector<double>{1, -0.0, 1e-308, 0.1};
  file.tensors["n"] = std::vector<std::uint64_t>{~std::uint64_t{0}};
  file.tensors["b"] = std::vector<std::uint8_t>{1, 2, 3};
  file.tensors["empty"] = std::vector<double>{};
  return file;
}

TEST(TensorFile, RoundTripsExactly) {
  const TensorFile file = sample(), again = TensorFile::decode(file.encode(), "f");
  EXPECT_EQ(again.tensors, file.tensors);
  EXPECT_EQ(again.metadata.at("a"), file.metadata.at("a"));
  EXPECT_TRUE(std::signbit(std::get<0>(again.tensors.at("x"))[1]));
  EXPECT_EQ(file.encode().size() % 8,
            3U);  // header padded to 8; the last tensor in order of names is "x", the odd bytes come before it
}

TEST(TensorFile, EveryCutAndEveryChangedByteIsRefused) {
  const std::string bytes = sample().encode();
  for (std::size_t length = 0; length < bytes.size(); ++length)
    ASSERT_NE(message_of([&] { TensorFile::decode(bytes.substr(0, length), "f"); }), "") << length;
  EXPECT_NE(message_of([&] { TensorFile::decode(bytes + "x", "f"); }), "");
  for (std::size_t place = 0; place < bytes.size(); ++place) {
    std::string altered = bytes;
    altered[place] = static_cast<char>(altered[place] ^ 0x20);
    ASSERT_NE(message_of([&] { TensorFile::decode(altered, "f"); }), "") << place;
  }
}

std::string with_header(const std::string& header, const std::string& data = "") {
  std::string bytes(8, '\0');
  const std::uint64_t length = header.size();
  std::memcpy(bytes.data(), &length, 8);
  return bytes + header + data;
}

TEST(TensorFile, HostileHeaders) {
  const auto refused = [](const std::string& bytes) { return message_of([&] { TensorFile::decode(bytes, "f"); }); };
  EXPECT_EQ(refused(std::string(8, '\xff')), "f: not a Postil model");
  EXPECT_EQ(refused(""), "f: not a Postil model: the file is empty");
  EXPECT_EQ(refused("a,b\n"),
            "f: not a Postil model; the file holds text; are the model and the data named in the right order?");
  EXPECT_EQ(refused(with_header("{}").substr(0, 9)),
            "f: the file was cut: it has 9 bytes, and its header alone needs 10");
  EXPECT_EQ(refused(with_header("[]")), "f: not a Postil model: its header is not a JSON object");
  EXPECT_EQ(refused(with_header("{}")), "f: not a Postil model: it has no checksum");
  EXPECT_EQ(refused(with_header(R"({"t":{"dtype":"F64","shape":[4611686018427387904],"data_offsets":[0,0]}})")),
            "f: tensor 't' has 0 bytes, which do not fit its shape");
  EXPECT_EQ(refused(with_header(R"({"t":{"dtype":"F64","shape":[1],"data_offsets":[0,8]}})")),
            "f: tensor 't' lies outside the file: the file was cut or altered");
  EXPECT_EQ(refused(with_header(R"({"t":{"dtype":"F16","shape":[0],"data_offsets":[0,0]}})")),
            "f: tensor 't' has a type that Postil does not use");
  EXPECT_EQ(refused(with_header(R"({"t":{"dtype":"F64","shape":[-1],"data_offsets":[0,0]}})")),
            "f: tensor 't' has a size or place that is not a whole number");
  EXPECT_EQ(refused(with_header(R"({"__metadata__":{"a":1}})")), "f: metadata 'a' is not a text");
  EXPECT_NE(refused(with_header(std::string(100'000, '['))), "");
}

Model sample_model() {
  TrainOptions options;
  options.recipe.learner = "arow";
  return test::train_text("a,c,label\n1,x,no\n2,y,yes\n-4,?,no\n3,y,yes\n", options);
}

TEST(ModelFile, RoundTripsToTheSameBytes) {
  Model model = sample_model();
  const std::string bytes = model.to_bytes();
  Model again = Model::from_bytes(bytes, "m");
  EXPECT_EQ(again.to_bytes(), bytes);
  EXPECT_EQ(again.schema().columns[1].categories, (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(again.counters().examples, 4U);
  const TemporaryFolder folder;
  model.save(folder.path("m"));
  EXPECT_EQ(Model::load(folder.path("m")).to_bytes(), bytes);
}

TEST(ModelFile, RefusesOtherVersionsAndDamage) {
  TensorFile file = TensorFile::decode(sample_model().to_bytes(), "m");
  const auto refused = [&](const TensorFile& changed) {
    return message_of([&] { Model::from_bytes(changed.encode(), "m"); });
  };
  TensorFile changed = file;
  changed.metadata["postil"] = "9";
  EXPECT_EQ(refused(changed), "m: the file has model format version '9'; this program reads versions 1 to 3");
  changed = file;
  changed.metadata.erase("postil");
  EXPECT_EQ(refused(changed), "m: not a Postil model: it has no format version");
  changed = file;
  changed.metadata.erase("schema");
  EXPECT_EQ(refused(changed), "m: there is no metadata 'schema'");
  changed = file;
  changed.metadata["params"] = R"({"learner":"percepton","values":{}})";
  EXPECT_EQ(refused(changed), "m: there is no learner 'percepton'; did you mean 'perceptron'?");
  changed = file;
  changed.tensors.erase("task.0.v");
  EXPECT_EQ(refused(changed), "m: there is no tensor 'task.0.v' of the right type");
  changed = file;
  changed.tensors["task.0.v"] = changed.tensors["task.0.u"] = std::vector<double>{1};
  EXPECT_EQ(refused(changed), "m: the state of task 0 is not whole, or not of 3 features");
  changed = file;
  changed.tensors["task.0.v"] = std::vector<double>{1, std::nan(""), 2};
  EXPECT_EQ(refused(changed), "m: tensor 'task.0.v' holds a number that is not finite");
  changed = file;
  changed.metadata["schema"] =
      R"({"anonymous":true,"features":4000000000,"scale":"none","label":{"name":"l","classes":["a","b"],"positive":1}})";
  EXPECT_NE(refused(changed), "");  // and without asking for 32 GB
  changed = file;
  changed.metadata["counters"] = "[]";
  EXPECT_NE(refused(changed), "");
}

}  // namespace
}  // namespace postil
