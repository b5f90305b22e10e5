// The Error that an action throws.
#pragma once

#include <stdexcept>

#include "support/catch.hpp"
#include "vcgpu/error.hpp"

namespace vcgpu::test {

// Fails the test where `action` throws no Error.
template <class Action>
Error error_of(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return error;
  }
  FAIL("no Error was thrown");
  throw std::logic_error("unreachable");
}

}  // namespace vcgpu::test
