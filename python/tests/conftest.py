"""The tests of locus.torch and locus.transformers need torch."""

import importlib.util

collect_ignore = [] if importlib.util.find_spec("torch") else ["torch"]
