#include "base/file.hpp"

#include <algorithm>
#include <filesystem>
#include <string>

#include <sys/stat.h>

#include "support/catch.hpp"
#include "support/errors.hpp"
#include "support/temporary_directory.hpp"

using namespace vcgpu;
using vcgpu::test::content_of;
using vcgpu::test::error_of;
using vcgpu::test::TemporaryDirectory;

namespace {

std::ptrdiff_t entries_in(const std::filesystem::path& directory) {
  return std::distance(std::filesystem::directory_iterator(directory), {});
}

}  // namespace

TEST_CASE("a file is read byte for byte") {
  const TemporaryDirectory directory;
  const std::string bytes("a\0b\r\n\xFF", 6);
  CHECK(read_file(directory.file("x", bytes), 100) == bytes);
}

TEST_CASE("a file that is not there is a failure that names it") {
  const Error error = error_of([] { (void)read_file("/nonexistent/x.json", 100); });
  CHECK(error.exit_code() == ExitCode::failure);
  CHECK(std::string(error.what()) == "cannot read /nonexistent/x.json: No such file or directory");
}

TEST_CASE("a directory is not read as a file") {
  const TemporaryDirectory directory;
  const Error error = error_of([&] { (void)read_file(directory.path(), 100); });
  CHECK_THAT(std::string(error.what()), EndsWith(": it is a directory"));
}

TEST_CASE("a named pipe is refused, not waited for") {
  const TemporaryDirectory directory;
  const std::filesystem::path pipe = directory.path() / "pipe";
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  const Error error = error_of([&] { (void)read_file(pipe, 100); });
  CHECK_THAT(std::string(error.what()), EndsWith(": it is not a regular file"));
}

TEST_CASE("a file over the limit is refused") {
  const TemporaryDirectory directory;
  const std::filesystem::path path = directory.file("big", std::string(2'000'001, 'x'));
  const Error error = error_of([&] { (void)read_file(path, 2'000'000); });
  CHECK_THAT(std::string(error.what()), EndsWith(": it is larger than 2 MB"));
}

TEST_CASE("a file of exactly the limit is read") {
  const TemporaryDirectory directory;
  CHECK(read_file(directory.file("x", "12345"), 5) == "12345");
}

TEST_CASE("a written file replaces the one before and leaves nothing else") {
  const TemporaryDirectory directory;
  const std::filesystem::path path = directory.file("out", "a much longer text than the new one");
  write_file_atomically(path, "new");
  CHECK(content_of(path) == "new");
  CHECK(entries_in(directory.path()) == 1);
}

TEST_CASE("a write that fails leaves nothing behind") {
  const TemporaryDirectory directory;
  std::filesystem::create_directory(directory.path() / "out");
  const Error error = error_of([&] { write_file_atomically(directory.path() / "out", "text"); });
  CHECK(error.exit_code() == ExitCode::failure);
  CHECK(entries_in(directory.path()) == 1);
}

TEST_CASE("a file cannot be written into a directory that is not there") {
  const Error error = error_of([] { write_file_atomically("/nonexistent/out", "text"); });
  CHECK_THAT(std::string(error.what()), StartsWith("cannot write /nonexistent/out: "));
}
