"""What every server may have at a time. Without such a limit, requests wait longer than clients do."""

MOST_REQUESTS = 128
