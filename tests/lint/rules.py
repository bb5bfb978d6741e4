"""What the lint allows, as tables. A rule that needs a new exception gets it here, with a reason."""

import re

# The rooms, lowest first: a file may include its own room and those before it.
ROOMS = ["events", "ledger", "matcher", "replay", "connectors", "tests"]

# Folders of the pure cores: no clock, float, thread, random number, hashed iteration or I/O, and no
# library but the standard one and Abseil.
PURE_FOLDERS = ["ledger/core/", "matcher/core/"]

# `events` is pure but for what speaks to the outside or hashes: codecs, JSON, logs, digests.
IMPURE_EVENTS = re.compile(
    r"events/\w*(codec|digest|durable|fingerprint|generated|internal|json|kafka|log|reader|rocksdb|wire)"
)

# Headers of libraries that stay behind ours: a header that includes one, itself or through another
# header, is private to its folder.
OUTSIDE_TYPES = re.compile(r"^(rocksdb/|flatbuffers/|librdkafka/|.*_generated\.h$)")
# Such a header for the .cc files of more than one room.
SHARED_OUTSIDE_TYPES = ["events/rocksdb_status.h"]

# Standard headers that a pure file may not include.
IMPURE_HEADERS = set(
    """atomic barrier chrono condition_variable ctime execution filesystem fstream
    future iostream latch mutex random semaphore shared_mutex stop_token syncstream thread time.h
    unordered_map unordered_set""".split()
)
# Of Abseil: what reads the clock, locks, draws random numbers or reads flags.
IMPURE_ABSEIL = re.compile(r"^absl/(base/call_once|debugging|flags|random|synchronization|time/clock)")

FLOAT = re.compile(r"\b(float|double)\b")

# Sources and documents, for the limit on their length.
MAX_LINES = 600
SOURCE_SUFFIXES = {
    ".cc", ".cmake", ".css", ".fbs", ".h", ".html", ".js", ".md", ".mjs", ".py", ".sh", ".toml",
    ".txt", ".yaml", ".yml", "",
}
NOT_LIMITED = re.compile(r"(^|/)(LICENSE|NOTICE)$|(^|/)(third_party|vendor)/")

# The names are put together here, since this file is checked too.
UNFINISHED = re.compile(r"\b(" + "|".join(["TO" + "DO", "FIX" + "ME"]) + r")\b")

FORBIDDEN_PATHS = ["/" + name + "/" for name in ("work", "root", "home")]
REGISTRY_HOSTS = [
    ".".join(parts)
    for parts in (
        ("deb", "debian", "org"),
        ("security", "debian", "org"),
        ("snapshot", "debian", "org"),
        ("pypi", "org"),
        ("files", "pythonhosted", "org"),
        ("registry", "npmjs", "org"),
        ("repo", "maven", "apache", "org"),
        ("repo1", "maven", "org"),
        ("proxy", "golang", "org"),
        ("sum", "golang", "org"),
        ("static", "crates", "io"),
        ("index", "crates", "io"),
    )
]
FORBIDDEN = re.compile(
    r"(?<![\w.$}])(" + "|".join(map(re.escape, FORBIDDEN_PATHS)) + r")"
    r"|(" + "|".join(map(re.escape, REGISTRY_HOSTS)) + r")"
)
