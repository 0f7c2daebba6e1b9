"""What the documents show is run: the README's blocks and the examples."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from support import REPOSITORY, RunningServer

HERE = Path(__file__).resolve().parents[1]
BLOCKS = re.findall(
    r"^```python\n(.*?)^```$", (HERE / "README.md").read_text(), re.DOTALL | re.MULTILINE
)


def run(server: RunningServer, *words: str, cwd: Path = REPOSITORY) -> str:
    done = subprocess.run(
        [sys.executable, *words],
        cwd=cwd,
        env=server.environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=50,
        check=False,
    )
    output = done.stdout.decode()
    assert done.returncode == 0, output
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
