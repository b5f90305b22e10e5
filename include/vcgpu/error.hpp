// The one exception of the project: what is wrong, where, and what would be
// right. It is thrown where the cause is known and turned into text in one
// place (src/cli/main.cpp).
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace vcgpu {

// The process exit codes. They are part of the contract with scripts.
enum class ExitCode {
  answered = 0,
  failure = 1,       // internal or I/O
  usage = 2,         // unknown command, flag, value or name; impossible number
  nothing_fits = 3,  // the document is still printed, with reasons
  bad_catalog = 4,   // catalog data invalid
  stale = 5,         // older than --max-age
  over_budget = 6,   // only with --gate
};

class Error : public std::runtime_error {
 public:
  // `code` is a stable kebab-case word for scripts, `message` a sentence
  // without a final dot, `hint` what to do instead (may be empty).
  Error(ExitCode exit_code, std::string code, const std::string& message, std::string hint = {})
      : std::runtime_error(message),
        m_exit_code(exit_code),
        m_code(std::move(code)),
        m_hint(std::move(hint)) {}

  [[nodiscard]] ExitCode exit_code() const { return m_exit_code; }
  [[nodiscard]] const std::string& code() const { return m_code; }
  [[nodiscard]] const std::string& hint() const { return m_hint; }

 private:
  ExitCode m_exit_code;
  std::string m_code;
  std::string m_hint;
};

}  // namespace vcgpu
