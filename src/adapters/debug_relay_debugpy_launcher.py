# Starts a program under debugpy. The file's name matters: debugpy hides frames of files that end in
# "debugpy_launcher.py". What to do comes in a private file, so that the secret with which the
# program proves itself is in no command line and no environment.
import sys


def main():
    import io
    import json
    import os

    path = sys.argv[1]
    with io.open(path, encoding="utf-8") as plan_file:
        plan = json.load(plan_file)
    os.unlink(path)
    if sys.version_info < (3, 8):
        with open(path + ".refused", "w") as refusal:
            refusal.write("%d.%d.%d" % sys.version_info[:3])
        sys.exit(1)

    # As debugpy's own __main__ does: import it from its folder, then leave sys.path as it was.
    sys.path[0] = plan["debugpy"]
    import debugpy
    del sys.path[0]
    from debugpy.common import log
    from debugpy.server import cli

    # For its log, debugpy 1.8 reads the metadata of every installed package, twice: with a hundred
    # packages that is more than half of the start. Nobody keeps that log unless it is asked for.
    if "DEBUGPY_LOG_DIR" not in os.environ:
        log.describe_environment = lambda header: None

    sys.argv = ["debugpy"] + plan["arguments"]
    return cli.main


main()()
