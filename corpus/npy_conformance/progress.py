"""How far it is, on a terminal only."""

import shutil
import sys


class Progress:
    """A bar on standard error. Silent where nobody watches."""

    interval = 0.1

    def __init__(self, title, stream=None):
        self.title = title
        self.stream = stream or sys.stderr
        self.on = self.stream.isatty()
        self.drawn = False

    def show(self, done, total):
        """Draws the bar anew; at the end it vanishes."""
        if not self.on:
            return
        if done >= total:
            self.clear()
            return
        room = max(shutil.get_terminal_size().columns - len(self.title) - 16, 4)
        full = room * done // max(total, 1)
        self.stream.write(f"\r{self.title} {'█' * full}{'·' * (room - full)} {done}/{total} ")
        self.stream.flush()
        self.drawn = True

    def say(self, text):
        """A line for whoever waits, on a terminal or not."""
        self.clear()
        print(text, file=self.stream, flush=True)

    def clear(self):
        """Leaves the line empty."""
        if self.drawn:
            self.stream.write("\r\033[K")
            self.stream.flush()
            self.drawn = False
