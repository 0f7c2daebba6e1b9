"""Starts a child of its own, a child of that, and one that has left the session, and waits."""

import subprocess
import sys
import time

plain = subprocess.Popen(["sleep", "1000"])
daemon = subprocess.Popen(["setsid", "sleep", "1000"])
nested = subprocess.Popen(["sh", "-c", "sleep 1000 & sleep 1000"])
print("family complete", flush=True)  # @complete
time.sleep(1000)
