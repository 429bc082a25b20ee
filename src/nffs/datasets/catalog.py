"""The data files of the paper's experiments: names, contents, mirrors."""

from __future__ import annotations

from urllib.parse import quote

from nffs.datasets.files import DataFile

_GITHUB = "https://raw.githubusercontent.com"
_NSL_KDD_MIRRORS = (
    f"{_GITHUB}/jmnwong/NSL-KDD-Dataset/master",
    f"{_GITHUB}/defcom17/NSL_KDD/master",
    f"{_GITHUB}/HoaNP/NSL-KDD-DataSet/master",
)
_UNSW_MIRRORS = (
    "https://huggingface.co/datasets/Mouwiya/UNSW-NB15/resolve/main",
    f"{_GITHUB}/ushukkla/nospammers/master",
    f"{_GITHUB}/oshoyemi/project/master",
)


def _from(mirrors: tuple[str, ...], *names: str) -> tuple[str, ...]:
    return tuple(f"{mirror}/{quote(name)}" for mirror in mirrors for name in names)


NSL_KDD_TRAIN = DataFile(
    folder="nsl-kdd",
    name="KDDTrain+.txt",
    sha256="1b86d2f957b33082081bba410fe129b475efebcc13c9014c3f447c8271aadf95",
    size=19_109_424,
    mirrors=_from(_NSL_KDD_MIRRORS, "KDDTrain+.txt"),
)
NSL_KDD_TEST = DataFile(
    folder="nsl-kdd",
    name="KDDTest+.txt",
    sha256="fa46b0935342616aa83b7c2578db355b6a7aaabbc492248172c7a1e8b7ab8f84",
    size=3_441_513,
    mirrors=_from(_NSL_KDD_MIRRORS, "KDDTest+.txt"),
)

# On some mirrors the two names are swapped, so each file is looked for under both.
_TRAINING, _TESTING = "UNSW_NB15_training-set.csv", "UNSW_NB15_testing-set.csv"

UNSW_NB15_TRAIN = DataFile(
    folder="unsw-nb15",
    name=_TRAINING,
    sha256="bec7dd5ec88dc2a0ccc7a07879d338395ed7421750f675fd0339e07dfe0648fa",
    size=32_293_018,
    mirrors=_from(_UNSW_MIRRORS, _TRAINING, _TESTING),
    aliases=(_TESTING,),
)
UNSW_NB15_TEST = DataFile(
    folder="unsw-nb15",
    name=_TESTING,
    sha256="734fe6642edf758f7c94d7d9149426b49d202fe8e7bf0bef47392489c3c0a559",
    size=15_380_800,
    mirrors=_from(_UNSW_MIRRORS, _TESTING, _TRAINING),
    aliases=(_TRAINING,),
)

#: Every data set's files, by the name that the command line uses.
DATASETS = {
    "nsl-kdd": (NSL_KDD_TRAIN, NSL_KDD_TEST),
    "unsw-nb15": (UNSW_NB15_TRAIN, UNSW_NB15_TEST),
}
DATA_FILES = tuple(file for files in DATASETS.values() for file in files)
