"""What the documents show is run: the README's blocks, those of the pages, and the examples."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import pytest
from support import REPOSITORY, RunningServer

HERE = Path(__file__).resolve().parents[1]
BLOCKS = re.findall(
    r"^```python\n(.*?)^```$", (HERE / "README.md").read_text(), re.DOTALL | re.MULTILINE
)

#: Stands between what two blocks of a page print.
MARK = "\x1e"


class Part(NamedTuple):
    """A block of a page, and the text right after it, which is what it prints."""

    code: str
    shown: str | None


def parts_of(text: str) -> list[Part]:
    found = re.findall(
        r"^```python\n(.*?)^```$(?:\n+^```text\n(.*?)^```$)?",
        text,
        re.DOTALL | re.MULTILINE,
    )
    return [Part(code, shown or None) for code, shown in found]


#: The blocks of a page are one program. What the README shows before is a program to debug.
PAGES = {
    name: parts
    for name, text in [
        ("README.md", (REPOSITORY / "README.md").read_text().partition("\n## Clients\n")[2]),
        *((page.name, page.read_text()) for page in sorted((REPOSITORY / "docs").glob("*.md"))),
    ]
    for parts in [parts_of(text)]
    if parts
}


def run(server: RunningServer, *words: str, cwd: Path = REPOSITORY) -> str:
    with tempfile.TemporaryFile() as printed:
        process = subprocess.Popen(
            [sys.executable, *words],
            cwd=cwd,
            env=server.environment,
            stdin=subprocess.DEVNULL,
            stdout=printed,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            code = process.wait(50)
        finally:
            # What it has started and left behind ends with it.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        printed.seek(0)
        output = printed.read().decode()
    assert code == 0, output
    return output


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: f"line {block.splitlines()[0]}")
def test_a_block_of_the_readme_runs(server: RunningServer, tmp_path: Path, block: str) -> None:
    (tmp_path / "app.py").write_text(APP)
    (tmp_path / "block.py").write_text(block)
    # What a block prints is in its comments, after "# prints ".
    promised = re.findall(r"# prints (.*)$", block, re.MULTILINE)

    output = run(server, "block.py", cwd=tmp_path)

    for line in promised:
        assert line in output.splitlines()


def test_the_readme_shows_the_program_that_its_blocks_debug() -> None:
    assert len(BLOCKS) >= 5
    assert APP in (HERE / "README.md").read_text()


@pytest.mark.parametrize("page", PAGES)
def test_a_page_does_what_it_shows(server: RunningServer, tmp_path: Path, page: str) -> None:
    shutil.copytree(REPOSITORY / "examples", tmp_path / "examples")
    parts = PAGES[page]
    program = "".join(f"{part.code}\nprint({MARK!r}, flush=True)\n" for part in parts)
    (tmp_path / "page.py").write_text(program)

    output = run(server, "page.py", cwd=tmp_path)

    for part, printed in zip(parts, output.split(f"{MARK}\n")):
        promised = re.findall(r"# prints (.*)$", part.code, re.MULTILINE)
        lines = iter(printed.splitlines())
        assert all(line in lines for line in promised), f"{part.code}\nprinted\n{printed}"
        if part.shown is not None:
            assert re.fullmatch(pattern_of(part.shown), printed, re.DOTALL), (part.shown, printed)


def pattern_of(shown: str) -> str:
    """In what is shown, ``…`` stands for what was left out."""
    return ".*".join(re.escape(piece) for piece in shown.split("…"))


def test_the_pages_have_python_in_them() -> None:
    assert {"bug-hunt.md", "tasks.md"} <= PAGES.keys()


def test_the_hunt_in_the_basket_finds_the_shared_default(server: RunningServer) -> None:
    output = run(server, "clients/python/examples/hunt_basket.py")

    assert "examples/basket.py:9 in basket_of" in output
    assert "basket = [5, 7, 4] (was [5, 7])" in output
    assert "3. Is that list the default value in basket=[]? True" in output
    assert "bob owes 16" in output


def test_the_automatic_hunt_finds_where_the_bad_value_came_from(server: RunningServer) -> None:
    output = run(server, "clients/python/examples/auto_hunt.py")

    assert 'The bad value is None, a NoneType: item["price"] in total.' in output
    assert "main has it as items[2]['price']" in output
    assert "price_of:7  if text:" in output
    assert "  3. None\n" in output


def test_the_automatic_hunt_finds_our_frame_below_those_of_a_library(server: RunningServer) -> None:
    output = run(server, "clients/python/examples/auto_hunt.py", "examples/stories/report.py")

    assert "Object of type set is not JSON serializable" in output
    assert "examples/stories/report.py:28 in render" in output
    assert "The bad value is set(), a set: o in default." in output


def test_the_automatic_hunt_leaves_a_sound_program_alone(server: RunningServer) -> None:
    output = run(server, "clients/python/examples/auto_hunt.py", "examples/basket.py")

    assert output == "basket.py does not crash: the program has exited with code 0\n"


def test_the_watcher_sees_events_and_output(server: RunningServer) -> None:
    lines = run(server, "clients/python/examples/watch.py").splitlines()

    assert "driver the program has exited with code 0" in lines
    assert [line for line in lines if line.startswith("stdout")] == [
        f"stdout number {number}" for number in range(1, 5)
    ]
    assert any(re.fullmatch(r"event \d+ exited with code 0", line) for line in lines)


APP = """def price(item, count):
    total = item["price"] * count
    if count > 10:
        total = total * 0.9
    return total


basket = [({"price": 4}, 2), ({"price": 5}, 20)]
for item, count in basket:
    print("to pay:", price(item, count))
"""
