"""The embedded table is what it says it is."""

import numpy as np
import polars as pl

from nffs import make_connections
from nffs.fitness.information import feature_information
from nffs.fitness.splits import SplitRows, eval_split
from nffs.table.encoding import fit_encoding
from nffs.table.reading import read_table
from nffs.table.target import read_target


def test_the_same_seed_gives_the_same_table():
    assert make_connections(50).frame().equals(make_connections(50).frame())
    assert not make_connections(50).frame().equals(make_connections(50, random_state=1).frame())


def test_mixed_types_with_rare_categories():
    data = make_connections().data
    kinds = [c.kind for c in read_table(data).columns]
    assert kinds.count("categorical") == 3
    assert kinds.count("boolean") == 3
    for column in ("protocol", "service", "flag"):
        assert data[column].value_counts()["count"].min() < 0.02 * len(data)


def test_planted_columns_inform_and_noise_does_not():
    table = make_connections(8000)
    raw = read_table(table.data)
    encoding = fit_encoding(raw)
    labels = read_target(table.target)
    splits, told = eval_split(8000, 0)
    rows = SplitRows(encoding.matrix(raw), labels, None, splits, told)
    scores = feature_information(rows, [np.array([i]) for i in range(len(encoding.names))])
    mi = dict(zip(encoding.names, scores, strict=True))
    carriers = {name for names in table.planted.values() for name in names}
    noise = {name for name in mi if name.startswith("noise_")} | {"encrypted", "fragmented"}
    assert min(mi[name] for name in carriers) > 2 * max(mi[name] for name in noise)


def test_found_counts_a_signal_once():
    table = make_connections(50)
    assert table.found(["src_bytes", "src_packets", "flag_S0", "noise_01"]) == [
        "bytes sent",
        "half-open connections",
    ]


def test_frame_has_the_label():
    frame = make_connections(50).frame()
    assert frame["label"].dtype == pl.String
    assert set(frame["label"]) == {"normal", "attack"}
