"""The raw declarations for ctypes, from where this repository has them; the examples need nothing else of that package."""

import importlib.util
from pathlib import Path

_path = Path(__file__).resolve().parents[2] / "clients/python/tenon/_raw.py"
_spec = importlib.util.spec_from_file_location("tenon_raw", _path)
raw = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(raw)
