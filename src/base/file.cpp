#include "base/file.hpp"

#include <array>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.hpp"
#include "vcgpu/error.hpp"

namespace vcgpu {

namespace {

class FileDescriptor {
 public:
  explicit FileDescriptor(int fd) : m_fd(fd) {}
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  ~FileDescriptor() {
    if (m_fd > STDERR_FILENO) close(m_fd);
  }
  [[nodiscard]] int get() const { return m_fd; }

 private:
  int m_fd;
};

[[noreturn]] void fail(const std::filesystem::path& path, std::string_view action,
                       std::string_view cause) {
  throw Error(ExitCode::failure, "io",
              fmt::format("cannot {} {}: {}", action, printable(path.string()), cause));
}

bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t put = write(fd, text.data(), text.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(put));
  }
  return true;
}

}  // namespace

std::string read_file(const std::filesystem::path& path, std::size_t limit_bytes) {
  const bool standard_input = path == "-";
  const FileDescriptor file(standard_input ? STDIN_FILENO
                                           : open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) fail(path, "read", std::strerror(errno));
  struct stat status {};
  if (fstat(file.get(), &status) != 0) fail(path, "read", std::strerror(errno));
  if (S_ISDIR(status.st_mode)) fail(path, "read", "it is a directory");
  // A named pipe or a device named by path could block or never end.
  if (!standard_input && !S_ISREG(status.st_mode)) fail(path, "read", "it is not a regular file");
  std::string text;
  std::array<char, 65536> block{};
  while (true) {
    const ssize_t got = read(file.get(), block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(path, "read", std::strerror(errno));
    if (got == 0) return text;
    text.append(block.data(), static_cast<std::size_t>(got));
    if (text.size() > limit_bytes)
      fail(path, "read", fmt::format("it is larger than {} MB", limit_bytes / 1000000));
  }
}

void write_file_atomically(const std::filesystem::path& path, std::string_view text) {
  std::error_code none;
  const std::filesystem::file_status status = std::filesystem::status(path, none);
  if (std::filesystem::is_directory(status)) fail(path, "write", "it is a directory");
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    // A pipe or a device is written to; renaming over it would destroy it.
    const FileDescriptor device(open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (device.get() < 0 || !write_all(device.get(), text))
      fail(path, "write", std::strerror(errno));
    return;
  }
  // Through a link to what it names, so that the link stays.
  const std::filesystem::path target = std::filesystem::is_symlink(path, none)
                                           ? std::filesystem::weakly_canonical(path, none)
                                           : path;
  std::string temporary = (target.empty() ? path : target).string() + ".XXXXXX";
  const FileDescriptor file(mkstemp(temporary.data()));
  if (file.get() < 0) fail(path, "write", std::strerror(errno));
  // mkstemp makes it private; what is written here is a report like any other.
  const mode_t mask = umask(0);
  umask(mask);
  const bool written = write_all(file.get(), text) && fchmod(file.get(), 0666 & ~mask) == 0 &&
                       fsync(file.get()) == 0 &&
                       rename(temporary.c_str(), (target.empty() ? path : target).c_str()) == 0;
  if (written) return;
  const int cause = errno;
  unlink(temporary.c_str());
  fail(path, "write", std::strerror(cause));
}

}  // namespace vcgpu
