"""Runs vcgpu for the tests: the same day, locale, width and empty home on every machine."""

import os

TODAY = "2026-11-30"


def environment(home, binary, **more):
    """The whole environment of a test run; nothing of the caller's leaks in but what sanitizers
    and coverage need."""
    result = {
        "PATH": os.path.dirname(binary) + ":" + os.environ.get("PATH", "/usr/bin:/bin"),
        "HOME": home,
        "XDG_CONFIG_HOME": os.path.join(home, "config"),
        "XDG_CACHE_HOME": os.path.join(home, "cache"),
        "XDG_DATA_HOME": os.path.join(home, "data"),
        "XDG_STATE_HOME": os.path.join(home, "state"),
        "VCGPU_TODAY": TODAY,
        "NO_COLOR": "1",
        "COLUMNS": "100",
        "LC_ALL": "C.UTF-8",
    }
    for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS", "GCOV_PREFIX"):
        if name in os.environ:
            result[name] = os.environ[name]
    result.update(more)
    return result
