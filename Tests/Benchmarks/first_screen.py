"""How long the program takes in a real terminal until a screen shows what it is started for."""

import os
import pty
import re
import select
import statistics
import sys
import time
import fcntl
import struct
import termios

# What moves the cursor or sets a colour, and shows nothing.
ESCAPES = re.compile(rb"\x1b(?:[()][A-Z0-9]|\[[0-9;?]*[A-Za-z]|[=>78])")
PATIENCE = 60


class Runs:
    """What the runs of one command took: seconds, and peak memory in kilobytes."""

    def __init__(self):
        self.seconds, self.kilobytes = [], []

    @property
    def time(self):
        return statistics.median(self.seconds)

    @property
    def memory(self):
        return statistics.median(self.kilobytes)


class FirstScreen(Runs):
    """Runs of one command in a pseudo-terminal: seconds until a text is on the screen, and peak memory in kilobytes up to then
    and to the `q` that is typed after it."""

    def __init__(self, command, text, environment, size=(100, 30)):
        self.command, self.text = [str(part) for part in command], text.encode()
        self.environment, self.size = environment | {"TERM": "xterm-256color", "LANG": "C.UTF-8"}, size
        super().__init__()

    def run(self):
        start = time.perf_counter()
        child, terminal = pty.fork()
        if child == 0:
            columns, lines = self.size
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
            os.execve(self.command[0], self.command, self.environment)
        shown = b""
        while self.text not in ESCAPES.sub(b"", shown):
            ready, _, _ = select.select([terminal], [], [], PATIENCE)
            part = self.read(terminal) if ready else b""
            if not part:
                sys.exit(f"{' '.join(self.command)} has not shown {self.text.decode()}:\n{shown.decode(errors='replace')}")
            shown += part
        self.seconds.append(time.perf_counter() - start)
        os.write(terminal, b"q")
        while self.read(terminal):
            pass
        _, _, usage = os.wait4(child, 0)
        os.close(terminal)
        self.kilobytes.append(usage.ru_maxrss)

    @staticmethod
    def read(terminal):
        try:
            return os.read(terminal, 1 << 16)
        except OSError:  # the other end is closed
            return b""
