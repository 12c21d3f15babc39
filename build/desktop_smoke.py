"""Drives Kuang's real window the way a person does, and checks it against the desktop's own accessibility tree.

The window's widgets, their places on the screen and their words are read over AT-SPI, which WebKitGTK fills from what
it shows, not from what the panel believes. Every click and key is a real one, sent by xdotool.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi, GLib  # noqa: E402 (the version must be asked for first)

PATIENCE = 45.0  # seconds that a state may take to come
ANSWER = 10_000  # milliseconds that the window may be too busy to answer
PAUSE = 0.1  # seconds between two looks
LEFT, WHEEL_UP, WHEEL_DOWN = 1, 4, 5  # X's numbers for the buttons of a mouse
COLOURS = 12  # smoothed letters have more; an unpainted rectangle has one
RED = (0xB3, 0x26, 0x1E)  # the fill of SHADOW PATCH in the default theme


class Smoke:
    def __init__(self, app, home, pictures):
        self.app, self.home, self.pictures = app, home, pictures
        self.passed = self.failed = 0

    # What is seen

    def widgets(self):
        """All widgets of the window, in tree order. Nothing is taken from a cache."""
        while GLib.MainContext.default().iteration(False):
            pass
        desktop = Atspi.get_desktop(0)
        found = []

        def walk(node):
            if node is None:
                return
            found.append(node)
            for i in range(node.get_child_count()):
                walk(node.get_child_at_index(i))

        for i in range(desktop.get_child_count()):
            try:
                app = desktop.get_child_at_index(i)
                if app is not None and app.get_process_id() == self.app.pid:
                    app.clear_cache()
                    walk(app)
            except GLib.Error:
                continue  # A widget went away while the tree was read; the next look sees the new tree.
        return found

    def find(self, roles, name):
        """The first widget of one of the roles whose name matches, or None."""
        pattern = re.compile(name)
        for node in self.widgets():
            try:
                if node.get_role_name() in roles and pattern.search(node.get_name() or ""):
                    return node
            except GLib.Error:
                continue
        return None

    def wait(self, what, look):
        """Looks until look() answers something true, and ends the test when it never does."""
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                if seen := look():
                    return seen
            except GLib.Error:
                pass  # The widget went away, or the window was too busy to answer; the next look tells.
            if self.app.poll() is not None:
                self.check(what, False, f"Kuang ended with status {self.app.returncode}")
                raise Stop
            if time.monotonic() > deadline:
                self.check(what, False, f"not within {PATIENCE:.0f} s")
                raise Stop
            time.sleep(PAUSE)

    def place(self, node):
        at = node.get_extents(Atspi.CoordType.SCREEN)
        return at.x, at.y, at.width, at.height

    def enabled(self, node):
        return node.get_state_set().contains(Atspi.StateType.SENSITIVE)

    # What is done

    def settled(self, node):
        """The middle of the widget once two looks in a row agree on where it is."""
        seen = [None]

        def rests():
            seen.append(self.place(node))
            return seen[-1] == seen[-2] and seen[-1][2] > 0 and seen[-1][3] > 0

        self.wait(f"{node.get_name()} comes to rest", rests)
        x, y, w, h = seen[-1]
        return x + w // 2, y + h // 2

    def click(self, what, roles, name):
        node = self.wait(f"{what} is there", lambda: self.find(roles, name))
        left, top, width, height = self.place(self.find(["filler"], ""))  # GTK's box around the page
        x, y = self.settled(node)
        while not top <= y < top + height:
            self.mouse(left + width * 3 // 4, top + height // 2, WHEEL_DOWN if y > top else WHEEL_UP)
            self.wait(f"{what} can be scrolled to", lambda: self.settled(node) != (x, y))
            x, y = self.settled(node)
        self.mouse(x, y, LEFT)

    def mouse(self, x, y, button):
        subprocess.run(["xdotool", "mousemove", str(x), str(y), "click", str(button)], check=True, timeout=20)

    def type(self, text):
        subprocess.run(["xdotool", "type", "--delay", "40", text], check=True, timeout=20)

    def picture(self, name, chip):
        """A picture of the whole screen, taken once the chip is painted and two looks in a row agree."""
        path = self.pictures / f"smoke-{name}.png"
        before = [[]]

        def painted():
            subprocess.run(["import", "-window", "root", str(path)], check=True, timeout=30)
            pixels = crop(path, *self.place(chip))
            rests = pixels == before[0] and len(set(pixels)) >= COLOURS
            before[0] = pixels
            return rests

        self.wait(f"{name}: the window is painted", painted)
        print(f"     {path}")
        return path

    # What is asked of others

    def health(self):
        url = json.loads((self.home / "endpoint.json").read_text())["url"]
        token = (self.home / "token").read_text().strip()
        request = urllib.request.Request(f"{url}/v1/health", headers={"Authorization": f"Bearer {token}"})
        with urllib.request.urlopen(request, timeout=20) as answer:
            return json.load(answer)

    def policy_armed(self):
        path = self.home / "shadow-walk.json"
        return path.exists() and json.loads(path.read_text()).get("shadow", {}).get("forceOpen") is True

    def check(self, what, good, seen=""):
        if good:
            self.passed += 1
            print(f"ok   {what}")
        else:
            self.failed += 1
            print(f"FAIL {what}: {seen}")


class Stop(Exception):
    """Nothing after this step can be looked at."""


BUTTON = ["push button", "button"]
CHIP = ["link"]


def run(s):
    s.wait("the window opens", lambda: s.find(["frame"], "^Kuang$"))
    s.check("the window opens", True)
    chip = s.wait("the browser chip turns to running", lambda: s.find(CHIP, r"^\S+ \d+ · (pipe|port|attach)"))
    s.check(f"the browser chip turns to running: “{chip.get_name()}”", True)
    health = s.health()
    state = health.get("browser", {}).get("state")
    s.check("the API says the browser is running", state == "running", f"it says {state}")
    s.check("no red chip yet", s.find(CHIP, "SHADOW PATCH") is None)
    s.check("force-open is off in the policy file", not s.policy_armed())
    s.check("force-open is off in the API", armed(health) is False, json.dumps(health.get("shadow_walk")))

    # The browser's own window came up over the panel; a person would click the panel's title bar.
    window = subprocess.run(["xdotool", "search", "--sync", "--onlyvisible", "--pid", str(s.app.pid), "--name", "^Kuang$"],
                            check=True, timeout=20, capture_output=True, text=True).stdout.split()[0]
    subprocess.run(["xdotool", "windowactivate", "--sync", window], check=True, timeout=20)
    s.picture("running", chip)

    s.click("Settings in the navigation", CHIP, "^Settings$")
    s.click("Shadow Walk in the navigation", CHIP, "^Shadow Walk$")
    s.click("Shadow DOM in the rail", CHIP + ["page tab"], "^Shadow DOM$")
    s.click("the Arm… button", BUTTON, "^Arm")
    s.wait("the dialog opens", lambda: s.find(["dialog", "alert"], ""))
    s.check("a click on Arm… opens the dialog", True)
    s.type("AR")
    red = s.wait("the red button is there", lambda: s.find(BUTTON, RED_BUTTON))
    s.check("the red button waits for the whole word", not s.enabled(red), "it is enabled by “AR”")
    s.type("M")
    s.wait("ARM enables the red button", lambda: s.enabled(s.find(BUTTON, RED_BUTTON)))
    s.check("ARM enables the red button", True)
    s.click("the red button", BUTTON, RED_BUTTON)

    chip = s.wait("the red chip appears", lambda: s.find(CHIP, "SHADOW PATCH"))
    s.check(f"the red chip appears: “{chip.get_name()}”", True)
    s.wait("the policy file says armed", s.policy_armed)
    s.check("the policy file says armed", True)
    health = s.health()
    s.check("the API says armed", armed(health) is True, json.dumps(health.get("shadow_walk")))
    s.settled(chip)
    share = red_share(crop(s.picture("armed", chip), *s.place(chip)))
    s.check(f"the chip is red: {share:.0%} of its area", share > 0.4, f"{share:.0%} of its area is")


RED_BUTTON = "^Arm force-open|^Arm$"


def armed(health):
    return health.get("shadow_walk", {}).get("force_open")


def crop(path, x, y, w, h):
    """The pixels of a rectangle of the picture, as (red, green, blue)."""
    raw = subprocess.run(["convert", str(path), "-crop", f"{w}x{h}+{x}+{y}", "-depth", "8", "rgb:-"],
                         check=True, timeout=30, capture_output=True).stdout
    return [tuple(raw[i:i + 3]) for i in range(0, len(raw), 3)]


def red_share(pixels):
    """How much of them is the chip's red, as the screen shows it."""
    close = sum(all(abs(a - b) < 12 for a, b in zip(pixel, RED)) for pixel in pixels)
    return close / max(1, len(pixels))


def end(s):
    """SIGTERM closes the browser and ends Kuang with status 0."""
    s.app.terminate()
    try:
        code = s.app.wait(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        s.app.kill()
        code = "none: it had to be killed"
    s.check("SIGTERM ends Kuang with status 0", code == 0, f"it is {code}")
    left = [p.name for p in Path("/proc").glob("[0-9]*") if str(s.home / "profile") in command(p)]
    s.check("no process of its browser is left", not left, " ".join(left))


def command(process):
    try:
        return (process / "cmdline").read_bytes().decode(errors="replace")
    except OSError:
        return ""  # It ended while we looked.


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kuang", type=Path, required=True)
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--pictures", type=Path, required=True)
    parser.add_argument("--log", type=Path, required=True)
    args = parser.parse_args()
    Atspi.init()
    Atspi.set_timeout(ANSWER, ANSWER)
    with args.log.open("wb") as log:
        app = subprocess.Popen([args.kuang, "--port", "0"], env=os.environ | {"KUANG_HOME": str(args.home)}, stdout=log, stderr=log)
    s = Smoke(app, args.home, args.pictures)
    try:
        run(s)
    except Stop:
        pass
    except (OSError, subprocess.SubprocessError, GLib.Error) as e:
        s.check("the test reaches its end", False, str(e))
    finally:
        if s.failed:
            report(s)
        end(s)
    print(f"smoke: {s.passed} passed, {s.failed} failed")
    return 1 if s.failed else 0


def report(s):
    """What was on the screen when a check failed."""
    picture = s.pictures / "smoke-failed.png"
    subprocess.run(["import", "-window", "root", str(picture)], check=False, timeout=30)
    print(f"     {picture}")
    for node in s.widgets():
        print("     seen:", node.get_role_name(), repr(node.get_name()), s.place(node))


if __name__ == "__main__":
    sys.exit(main())
