#!/usr/bin/env python3
"""Measures training steps for `vcgpu calibrate`: peak GPU memory and time, one CSV row a step.

Needs nothing but torch. Copy this file beside your training script:

    from vcgpu_record import Recorder

    for number, batch in enumerate(loader):
        if number in (5, 6, 7):      # not the first: it makes the optimizer's state
            with Recorder("runs.csv", batch=len(batch), clip_s=batch.longest_s, precision="bf16"):
                train_step(batch)    # forward, backward, optimizer step
        else:
            train_step(batch)

or around the function that does a step:

    @record("runs.csv", batch=4, clip_s=8.2, precision="fp16")
    def train_step(batch): ...

A few rows with different batches and clip lengths are enough. clip_s is the longest clip of the
batch, in seconds: what the others are padded to. Then:

    vcgpu calibrate runs.csv --model MODEL --stage STAGE --write entry.json
"""

import argparse
import contextlib
import csv
import datetime
import io
import math
import os
import sys
import time
import warnings

try:
    import fcntl
except ImportError:  # Windows: rows of one process alone
    fcntl = None

COLUMNS = ("batch", "clip_s", "precision", "peak_bytes", "kind", "grad_accum", "checkpointing",
           "lora_rank", "text_tokens", "attention", "optimizer", "gpu", "gpus", "seconds_per_step",
           "torch", "date", "note")
PRECISIONS = ("fp32", "tf32", "fp16", "bf16", "int8", "int4")
# A step that leaves this much more than it found made gradients and optimizer state.
FIRST_STEP_GROWTH = 1.1


class RecordError(RuntimeError):
    """What keeps a step from being measured; says what to do about it."""


def _torch():
    try:
        import torch  # not before it is needed: --help works without
    except ImportError as error:
        raise RecordError("torch is not installed in this Python: run it with the Python that "
                          "trains") from error
    if not torch.cuda.is_available():
        raise RecordError("torch sees no CUDA device: there is no GPU memory to measure "
                          f"(torch {torch.__version__})")
    return torch


def _positive(name, value, whole=False):
    number = float(value)
    if not math.isfinite(number) or number <= 0 or (whole and number != int(number)):
        kind = "a whole number" if whole else "a number"
        raise ValueError(f"{name} must be {kind} above 0, not {value!r}")
    return int(number) if whole else number


class Recorder(contextlib.ContextDecorator):
    """Measures what runs inside `with`, and appends a row to the CSV file `path`.

    batch          clips (for F5-TTS: frames) of one pass on one GPU
    clip_s         longest clip of the batch, in seconds
    precision      fp32, tf32, fp16 or bf16: fp16 and bf16 also under autocast
    kind           "allocated" (torch.cuda.max_memory_allocated) or "reserved"
    grad_accum     passes inside the block, where it accumulates gradients
    checkpointing, lora_rank, text_tokens (of the longest text), attention ("eager" or "sdpa"),
    optimizer ("adamw"), note    as they are; leave out what is not known
    gpus           GPUs that train together; by torch.distributed where that runs
    force          write the row even where the step looks like the first

    The values may still be set inside the block: `recorder.clip_s = longest`. Nothing is written
    where the block raises, out of memory included. Of several ranks only the first writes.
    """

    def __init__(self, path, *, batch, clip_s, precision, kind="allocated", grad_accum=1,
                 checkpointing=None, lora_rank=None, text_tokens=None, attention=None,
                 optimizer=None, gpus=None, device=None, note=None, force=False):
        self.path = os.fspath(path)
        self.batch, self.clip_s, self.precision = batch, clip_s, precision
        self.kind, self.grad_accum, self.checkpointing = kind, grad_accum, checkpointing
        self.lora_rank, self.text_tokens, self.attention = lora_rank, text_tokens, attention
        self.optimizer, self.gpus, self.device = optimizer, gpus, device
        self.note, self.force = note, force
        self.row = None  # the last one written
        self._values()  # what is impossible is an error before the step, not after

    def __enter__(self):
        torch = _torch()
        torch.cuda.synchronize(self.device)
        if self.kind == "reserved":
            torch.cuda.empty_cache()  # what larger steps before left reserved
        torch.cuda.reset_peak_memory_stats(self.device)
        self._held = torch.cuda.memory_allocated(self.device)
        self._start = time.perf_counter()
        return self

    def __exit__(self, kind, error, traceback):
        if kind is not None:
            return False
        torch = _torch()
        torch.cuda.synchronize(self.device)
        seconds = time.perf_counter() - self._start
        held = torch.cuda.memory_allocated(self.device)
        if held > self._held * FIRST_STEP_GROWTH and not self.force:
            warnings.warn(
                f"not recorded: the step left {(held - self._held) / 2**30:.2f} GiB more than it "
                "found. The first step makes gradients and optimizer state, and its peak is too "
                "low; record a later one, or set force=True", RuntimeWarning, stacklevel=2)
            return False
        peak = (torch.cuda.max_memory_allocated if self.kind == "allocated"
                else torch.cuda.max_memory_reserved)
        rank, world = _rank_and_world(torch)
        row = self._values()
        row.update(peak_bytes=int(peak(self.device)), gpus=row["gpus"] or world,
                   gpu=torch.cuda.get_device_name(self.device), seconds_per_step=f"{seconds:.6g}",
                   torch=torch.__version__, date=datetime.date.today().isoformat())
        if rank == 0:
            _append(self.path, row)
            self.row = row
        return False

    def _values(self):
        if self.precision not in PRECISIONS:
            raise ValueError(f"precision must be one of {', '.join(PRECISIONS)}, "
                             f"not {self.precision!r}")
        if self.kind not in ("allocated", "reserved"):
            raise ValueError(f"kind must be 'allocated' or 'reserved', not {self.kind!r}")
        if self.attention not in (None, "eager", "sdpa"):
            raise ValueError(f"attention must be 'eager' or 'sdpa', not {self.attention!r}")
        row = dict.fromkeys(COLUMNS, "")
        row.update(batch=f"{_positive('batch', self.batch):.12g}",
                   clip_s=f"{_positive('clip_s', self.clip_s):.6g}", precision=self.precision,
                   kind=self.kind, grad_accum=_positive("grad_accum", self.grad_accum, whole=True))
        if self.checkpointing is not None:
            row["checkpointing"] = "on" if self.checkpointing else "off"
        if self.lora_rank is not None:
            row["lora_rank"] = int(self.lora_rank)
        if self.text_tokens is not None:
            row["text_tokens"] = _positive("text_tokens", self.text_tokens, whole=True)
        if self.gpus is not None:
            row["gpus"] = _positive("gpus", self.gpus, whole=True)
        for name in ("attention", "optimizer", "note"):
            if getattr(self, name) is not None:
                row[name] = " ".join(str(getattr(self, name)).split())
        return row


record = Recorder


def _rank_and_world(torch):
    distributed = getattr(torch, "distributed", None)
    if distributed is None or not distributed.is_available() or not distributed.is_initialized():
        return 0, 1
    return distributed.get_rank(), distributed.get_world_size()


def _line(cells):
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(cells)
    return text.getvalue()


def _append(path, row):
    """One row, whole or not at all; the header where the file is new."""
    header = _line(COLUMNS)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
    try:
        if fcntl is not None:
            fcntl.flock(descriptor, fcntl.LOCK_EX)  # until it is closed
        size = os.fstat(descriptor).st_size
        with open(path, encoding="utf-8") as existing:
            first = existing.readline()
        if size and first.rstrip("\r\n") != header.rstrip("\n"):
            raise RecordError(f"{path} has other columns than this recorder writes: name a new file")
        data = _line([row[name] for name in COLUMNS])
        if not size:
            data = header + data
        else:
            with open(path, "rb") as existing:
                existing.seek(-1, os.SEEK_END)
                if existing.read(1) != b"\n":
                    data = "\n" + data
        data = data.encode("utf-8")
        try:
            written = os.write(descriptor, data)
        except OSError:
            os.ftruncate(descriptor, size)
            raise
        if written != len(data):
            os.ftruncate(descriptor, size)
            raise OSError(f"{path}: the row could not be written whole: is the disk full?")
    finally:
        os.close(descriptor)


def main(arguments=None):
    parser = argparse.ArgumentParser(
        prog="vcgpu_record.py", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true",
                        help="say whether torch sees a GPU that can be measured")
    parser.add_argument("--columns", action="store_true", help="print the header of the CSV file")
    options = parser.parse_args(arguments)
    if options.columns:
        sys.stdout.write(_line(COLUMNS))
        return 0
    if not options.check:
        parser.print_help()
        return 0
    try:
        torch = _torch()
    except RecordError as error:
        print(f"vcgpu_record: {error}", file=sys.stderr)
        return 1
    print(f"torch {torch.__version__}, {torch.cuda.get_device_name(None)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
