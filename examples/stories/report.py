"""Writes a report as JSON. It fails somewhere inside of the json module."""
import datetime
import json
from dataclasses import asdict, dataclass, field


@dataclass
class Event:
    name: str
    tags: set = field(default_factory=set)


@dataclass
class Report:
    title: str
    made: str
    events: list


def collect():
    made = datetime.date(2024, 2, 29).isoformat()
    events = [Event("login"), Event("upload", {"slow"}), Event("logout")]
    return Report("daily", made, events)


def render(report):
    data = asdict(report)
    return json.dumps(data, indent=1)


def main():
    print(render(collect()))


main()
