"""What the paper reports: the subsets of its tables, their sizes and their scores.

Features are named as the paper names them: f3 is the third column of the file, f3_http its category
http. Where the paper contradicts itself, a note says so.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

#: Means and standard deviations, in the order of `nffs.validation.given.NAMES`.
Scores = tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class ReportedSubset:
    """A row of the paper's tables of subsets and of scores."""

    method: str  # the method's name in the paper
    source: str  # who selected it
    features: tuple[str, ...]  # raw columns, or encoded ones
    n_encoded: int  # the number of features the paper gives, encoded and raw
    n_raw: int
    scores: Scores  # precision, recall, accuracy, F-score and AUC as the paper gives them
    note: str = ""  # where the paper contradicts itself


def _read(text: str) -> tuple[ReportedSubset, ...]:
    """Read subsets: method and source, sizes, scores, then features; raw columns by number."""
    found = []
    for block in text.strip().split("\n\n"):
        head, sizes, scores, *rest = block.splitlines()
        method, _, source = head.partition(": ")
        n_encoded, n_raw = (int(n) for n in re.findall(r"\d+", sizes))
        notes = [line.removeprefix("note: ") for line in rest if line.startswith("note: ")]
        names = " ".join(line for line in rest if not line.startswith("note: ")).split()
        found.append(
            ReportedSubset(
                method=method,
                source=source,
                features=tuple(f"f{name}" if name.isdigit() else name for name in names),
                n_encoded=n_encoded,
                n_raw=n_raw,
                scores=tuple(
                    (float(mean), float(deviation))
                    for mean, deviation in (cell.split("±") for cell in scores.split())
                ),
                note="".join(notes),
            )
        )
    return tuple(found)


NSL_KDD = _read("""
BAT: Enache and Sgârciu 2015
89 encoded, 18 raw
0.962±0.011 0.704±0.029 0.815±0.016 0.812±0.019 0.838±0.014
1 2 3 8 9 13 14 18 19 20 26 28 32 33 34 38 39 40

LSSVM: Ambusaidi et al. 2016
97 encoded, 18 raw
0.904±0.002 0.842±0.019 0.859±0.010 0.871±0.011 0.921±0.007
3 4 5 6 12 23 25 26 28 29 30 33 34 35 36 37 38 39

Hybrid Association Rules: Moustafa and Slay 2015
13 encoded, 11 raw
0.956±0.009 0.636±0.020 0.776±0.011 0.763±0.015 0.802±0.012
2 5 6 7 12 16 23 28 31 36 37

IG: Aljawarneh et al. 2017
87 encoded, 8 raw
0.898±0.002 0.781±0.032 0.825±0.017 0.835±0.018 0.927±0.005
3 4 5 6 29 30 33 34

PSO: Tama et al. 2019
118 encoded, 37 raw
0.948±0.021 0.687±0.035 0.800±0.021 0.796±0.025 0.819±0.020
2 3 4 5 6 7 8 9 10 11 12 13 14 15 17 18 20 21 22 23 24 25 26 27 28 29 31 32 33 34 35 36 37 38 39
40 41

Sigmoid_PIO: Alazzam et al. 2020
98 encoded, 18 raw
0.921±0.001 0.702±0.011 0.796±0.006 0.797±0.007 0.880±0.022
1 3 4 5 6 8 10 11 12 13 14 15 17 18 27 32 36 39 41
note: the paper gives 18 original features and lists 19

Cosine_PIO: Alazzam et al. 2020
7 encoded, 5 raw
0.926±0.003 0.821±0.040 0.861±0.022 0.870±0.023 0.910±0.009
2 6 10 22 27

NFFS: the paper's own
34 encoded, 11 raw
0.963±0.005 0.852±0.028 0.897±0.015 0.904±0.016 0.938±0.001
f2_icmp f3_IRC f3_aol f3_auth f3_csnet_ns f3_ctf f3_daytime f3_discard f3_ecr_i f3_http_8001
f3_imap4 f3_login f3_name f3_netbios_ssn f3_pop_2 f3_pop_3 f3_rje f3_supdup f3_telnet f3_urh_i
f4_OTH f4_RSTO f4_RSTOS0 f4_RSTR f4_S1 f4_SF f6 f7 f9 f10 f21 f30 f40 f41
""")

UNSW_NB15 = _read("""
Hybrid Association Rules: Moustafa and Slay 2015
21 encoded, 11 raw
0.762±0.001 0.968±0.001 0.816±0.001 0.853±0.001 0.937±0.001
4 10 11 18 20 23 25 32 35 40 41

PSO: Tama et al. 2019
41 encoded, 19 raw
0.768±0.003 0.983±0.004 0.827±0.003 0.862±0.002 0.960±0.002
3 4 7 8 10 11 16 20 22 24 26 28 30 32 34 35 36 41 42

Rule-Based: Tama et al. 2019
157 encoded, 13 raw
0.797±0.002 0.973±0.003 0.849±0.002 0.876±0.002 0.962±0.002
2 3 7 8 10 15 17 31 33 34 35 36 41

NFFS: the paper's own
38 encoded, 14 raw
0.818±0.004 0.985±0.001 0.871±0.003 0.893±0.002 0.977±0.002
f7 f10 f11 f14 f19 f27 f28 f29 f34 f35 f36 f2_argus f2_bbn-rcc f2_br-sat-mon f2_cbt f2_crudp
f2_dcn f2_ddp f2_eigrp f2_hmp f2_ipcv f2_leaf-2 f2_netblt f2_ospf f2_ptp f2_scps f2_snp f2_st2
f2_vines f3_pop3 f3_ssl f4_CLO f4_CON f4_no
note: the paper gives 38 features and lists 34
""")
