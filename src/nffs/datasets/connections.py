"""The embedded table: synthetic connection records with planted signals.

No record was ever captured; the columns only look like those of a network log. The label is drawn
first and the columns from it, so the truth is known: which columns carry a signal, which are copies
of one, and which are noise.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nffs.randomness import generator

Labels = NDArray[np.str_]

#: Every planted signal: the encoded columns that carry it. One of them is enough; the others are
#: noisy copies.
PLANTED: dict[str, tuple[str, ...]] = {
    "bytes sent": ("src_bytes", "src_packets", "src_kilobytes"),
    "bytes received": ("dst_bytes", "dst_packets"),
    "error rate": ("error_rate", "error_rate_host"),
    "connections to the host": ("host_count", "host_count_last_hour"),
    "duration": ("duration",),
    "root shell": ("root_shell",),
    "half-open connections": ("flag_S0",),
    "refused connections": ("flag_REJ",),
    "ping": ("protocol_icmp",),
    "telnet": ("service_telnet",),
}

#: Share of the rows that are attacks.
ATTACKS = 0.4

_NOISE_COLUMNS = 12

#: Columns that have nothing to do with the label.
NOISE = (
    "encrypted",
    "fragmented",
    "sensor_version",
    *(f"noise_{number:02d}" for number in range(1, _NOISE_COLUMNS + 1)),
)


@dataclass(frozen=True)
class Connections:
    """The synthetic table.

    Attributes
    ----------
    data : polars.DataFrame
        Numeric, boolean and three categorical columns.
    target : array of str
        'normal' or 'attack'.
    planted : dict
        Signals by name, and the encoded columns that carry each.
    noise : tuple of str
        Columns that have nothing to do with the target. What is neither noise nor carries a signal
        is another category of a column that does: rarer where the signal is.
    """

    data: pl.DataFrame
    target: Labels
    planted: dict[str, tuple[str, ...]]
    noise: tuple[str, ...]

    def frame(self) -> pl.DataFrame:
        """Give the columns and the target, named 'label', in one frame."""
        return self.data.with_columns(pl.Series("label", self.target))

    def found(self, names: list[str]) -> list[str]:
        """Name the planted signals that at least one of the given encoded columns carries."""
        chosen = set(names)
        return [signal for signal, carriers in self.planted.items() if chosen & set(carriers)]


def make_connections(n_rows: int = 2000, *, random_state: int = 0) -> Connections:
    """Make a table of synthetic connection records.

    Two fifths of the rows are attacks of ten kinds, as many as there are planted signals, and each
    kind shows in its own signal only: a selection without a signal misses its attacks. Some
    columns are noisy copies of others, some are pure noise, and each categorical column has rare
    categories.

    Parameters
    ----------
    n_rows : int, default=2000
        How many records.
    random_state : int, default=0
        The same number gives the same table.

    Examples
    --------
    >>> table = make_connections(100)
    >>> table.data.shape
    (100, 29)
    """
    rng = generator(random_state, "connections")
    kinds = ["normal", *PLANTED]
    shares = [1 - ATTACKS, *[ATTACKS / len(PLANTED)] * len(PLANTED)]
    kind = rng.choice(kinds, size=n_rows, p=shares)

    def normal(size: float = 1.0) -> NDArray[np.float64]:
        return rng.normal(0.0, size, n_rows)

    def copy(values: NDArray[np.float64], scale: float) -> NDArray[np.float64]:
        return values * scale * np.exp(normal(0.15))

    def draw(**shares: float | NDArray[np.float64]) -> Labels:
        # A category for every row, by shares that may differ from row to row.
        table = np.stack([np.broadcast_to(share, n_rows) for share in shares.values()])
        bounds = np.cumsum(table / table.sum(axis=0), axis=0)
        bounds[-1] = 1.0
        drawn: Labels = np.array(list(shares))[(rng.random(n_rows) >= bounds).sum(axis=0)]
        return drawn

    sent = np.exp(5.5 + normal() + 3.5 * (kind == "bytes sent"))
    received = np.exp(6.5 + normal() + 3.5 * (kind == "bytes received"))
    errors = np.clip(0.1 + normal(0.1) + 0.5 * (kind == "error rate"), 0.0, 1.0)
    to_host = np.exp(2.5 + normal(0.7) + 2.5 * (kind == "connections to the host"))
    duration = np.exp(1.0 + normal(0.8) + 3.0 * (kind == "duration"))

    columns: dict[str, NDArray[np.generic]] = {
        "duration": duration.round(3),
        "protocol": draw(tcp=1.0, udp=0.3, icmp=0.03 + 8.0 * (kind == "ping"), gre=0.01),
        "service": draw(
            http=1.2,
            dns=0.5,
            smtp=0.4,
            ssh=0.3,
            ftp=0.2,
            telnet=0.03 + 12.0 * (kind == "telnet"),
            pop3=0.08,
            irc=0.02,
            gopher=0.01,
            finger=0.01,
        ),
        "flag": draw(
            SF=2.5,
            S0=0.08 + 15.0 * (kind == "half-open connections"),
            REJ=0.08 + 15.0 * (kind == "refused connections"),
            RSTO=0.3,
            SH=0.02,
            OTH=0.02,
        ),
        "src_bytes": sent.astype(np.int64),
        "dst_bytes": received.astype(np.int64),
        "src_packets": copy(sent, 1 / 40).round().astype(np.int64) + 1,
        "dst_packets": copy(received, 1 / 60).round().astype(np.int64) + 1,
        "src_kilobytes": copy(sent, 1 / 1024).round(3),
        "error_rate": errors.round(2),
        "error_rate_host": np.clip(errors + normal(0.04), 0.0, 1.0).round(2),
        "host_count": to_host.astype(np.int64),
        "host_count_last_hour": copy(to_host, 6.0).astype(np.int64),
        "root_shell": rng.random(n_rows) < 0.02 + 0.93 * (kind == "root shell"),
        "encrypted": rng.random(n_rows) < 0.5,
        "fragmented": rng.random(n_rows) < 0.1,
        "sensor_version": np.full(n_rows, 3),
    }
    for name in NOISE[-_NOISE_COLUMNS:]:
        columns[name] = normal().round(3)
    target = np.where(kind == "normal", "normal", "attack")
    return Connections(pl.DataFrame(columns), target, dict(PLANTED), NOISE)
