"""All messages and enums of the API, for calls with the raw stubs.

``proto/debugrelay/v1`` in the repository has the manual of each.
"""

from ._proto.breakpoint_pb2 import *  # noqa: F403
from ._proto.bridge_pb2 import *  # noqa: F403
from ._proto.common_pb2 import *  # noqa: F403
from ._proto.error_pb2 import *  # noqa: F403
from ._proto.event_pb2 import *  # noqa: F403
from ._proto.execution_pb2 import *  # noqa: F403
from ._proto.inspection_pb2 import *  # noqa: F403
from ._proto.output_pb2 import *  # noqa: F403
from ._proto.server_pb2 import *  # noqa: F403
from ._proto.session_pb2 import *  # noqa: F403
