# Made from _async/__init__.py by ./generate. Change that file, not this one.
"""The client for time. The one in ``_sync`` is made from this."""
