"""The exceptions of Locus. Each is a locus.Error and, depending on the fault, also a ValueError, OSError or
MemoryError."""

from collections.abc import Sequence


class Error(Exception):
    """A failure that Locus reports.

    fault: "usage", "data", "io", "resource", "diverged", "peer" or "bug".
    code: which failure it is, for example "bad_shape"; "none" for most. Codes are stable.
    values: the values that the message names.
    hint: one thing that you can do, or "".
    """

    def __init__(
        self, message: str, fault: str = "data", code: str = "none", values: Sequence[str] = (), hint: str = ""
    ) -> None:
        super().__init__(f"{message}; {hint}" if hint else message)
        self.message = message
        self.fault = fault
        self.code = code
        self.values = list(values)
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}; {self.hint}" if self.hint else self.message

    def __reduce__(self) -> tuple[type["Error"], tuple[str, str, str, list[str], str]]:
        return type(self), (self.message, self.fault, self.code, self.values, self.hint)


class DataError(Error, ValueError):
    """An argument, a shape or the content of a file is not valid."""


class FileError(Error, OSError):
    """A call to the operating system failed."""


class MissingFileError(FileError, FileNotFoundError):
    """A file or folder does not exist."""


class ResourceError(Error, MemoryError):
    """Memory ran out."""


class DivergedError(Error, ArithmeticError):
    """A training loss or gradient is not finite."""
