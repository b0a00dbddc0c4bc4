"""Sizes for a person."""


def gigabytes(size_bytes: int) -> str:
    """As disks are sold: powers of ten.

    >>> gigabytes(4_920_000_000), gigabytes(98_000_000)
    ('4.92 GB', '98 MB')
    """
    return f"{size_bytes / 1e9:.2f} GB" if size_bytes >= 1e9 else f"{size_bytes / 1e6:.0f} MB"
