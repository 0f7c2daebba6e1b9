"""The client for asyncio. The one in ``_sync`` is made from this."""
