"""The meaning of every key of the query, field of the JSON and column of the file.

The texts are in `fields.toml`. Nothing here needs torch.
"""

import tomllib
from pathlib import Path
from typing import Any

from lib.experiment import query
from lib.experiment.choices import complete
from lib.experiment.studies import STUDIES

_TABLE: dict[str, Any] = tomllib.loads(Path(__file__).with_name("fields.toml").read_text("utf-8"))

KEYS: dict[str, str] = complete("key", query.FIELDS, _TABLE["keys"])
"""The meaning of each key of the query."""

WORDS: dict[str, str] = _TABLE["words"]
"""The meaning of the words and letters that the meanings below use."""

EVERY_STUDY: dict[str, str] = _TABLE["every_study"]
"""The fields that every study prints in addition to its own."""

FIELDS: dict[str, dict[str, str]] = complete("glossary of the study", STUDIES, _TABLE["studies"])
"""The fields of each study, by its name."""

TRACE: dict[str, str] = _TABLE["trace"]
"""What `trace` prints after `query` and `environment`."""

DECODE: dict[str, dict[str, str]] = _TABLE["decode"]
"""What `decode` prints, by what was pasted."""

COLUMNS: dict[str, list[str]] = _TABLE["columns"]
"""The type and the meaning of each column of the file that holds every component."""
