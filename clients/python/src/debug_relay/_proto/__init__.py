"""Generated from proto/debugrelay/v1 by ./generate."""
