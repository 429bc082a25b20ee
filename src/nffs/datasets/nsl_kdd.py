"""NSL-KDD: 41 columns of connection records, labelled normal or by the attack's name."""

from __future__ import annotations

import os
from typing import Any, Literal

import polars as pl
from sklearn.utils import Bunch

from nffs.datasets.catalog import NSL_KDD_TEST, NSL_KDD_TRAIN
from nffs.datasets.files import DataFile, obtain

#: The columns in the files' order; the paper calls them f1 to f41.
COLUMNS = (
    "duration", "protocol_type", "service", "flag", "src_bytes", "dst_bytes", "land",
    "wrong_fragment", "urgent", "hot", "num_failed_logins", "logged_in", "num_compromised",
    "root_shell", "su_attempted", "num_root", "num_file_creations", "num_shells",
    "num_access_files", "num_outbound_cmds", "is_host_login", "is_guest_login", "count",
    "srv_count", "serror_rate", "srv_serror_rate", "rerror_rate", "srv_rerror_rate",
    "same_srv_rate", "diff_srv_rate", "srv_diff_host_rate", "dst_host_count",
    "dst_host_srv_count", "dst_host_same_srv_rate", "dst_host_diff_srv_rate",
    "dst_host_same_src_port_rate", "dst_host_srv_diff_host_rate", "dst_host_serror_rate",
    "dst_host_srv_serror_rate", "dst_host_rerror_rate", "dst_host_srv_rerror_rate",
)  # fmt: skip

_ATTACKS = {
    "dos": "apache2 back land mailbomb neptune pod processtable smurf teardrop udpstorm",
    "probe": "ipsweep mscan nmap portsweep saint satan",
    "r2l": "ftp_write guess_passwd imap multihop named phf sendmail snmpgetattack snmpguess spy "
    "warezclient warezmaster worm xlock xsnoop",
    "u2r": "buffer_overflow httptunnel loadmodule perl ps rootkit sqlattack xterm",
}
#: The family of every attack in both files.
FAMILIES = {"normal": "normal"} | {
    attack: family for family, attacks in _ATTACKS.items() for attack in attacks.split()
}

DESCR = """NSL-KDD

125,973 training and 22,544 test records of network connections with 41 columns, a refined version
of the KDD Cup 99 data: no duplicates, and a difficulty for every record (how many of 21 learners
classified it correctly). 17 attacks of the test file do not occur in training.

Citation: M. Tavallaee, E. Bagheri, W. Lu, A. Ghorbani, "A Detailed Analysis of the KDD CUP 99 Data
Set", IEEE Symposium on Computational Intelligence for Security and Defense Applications (CISDA),
2009.
Licence: free to use; the authors ask for that citation.
"""

Names = Literal["columns", "paper"]


def fetch_nsl_kdd(
    *,
    data_home: str | os.PathLike[str] | None = None,
    download_if_missing: bool = True,
    return_X_y: bool = False,
    names: Names = "columns",
) -> Any:
    """Load NSL-KDD, downloading it if necessary.

    Parameters
    ----------
    data_home : path, optional
        Folder to look in first, and to download to. Then `NFFS_DATA`, then the user's cache.
    download_if_missing : bool, default=True
        Whether to download what is not found; False raises an error instead.
    return_X_y : bool, default=False
        Give ``(X_train, y_train, X_test, y_test)`` instead of a Bunch.
    names : {'columns', 'paper'}, default='columns'
        Name the columns as KDD does, or f1 to f41 as the paper does.

    Returns
    -------
    Bunch or tuple
        ``train`` and ``test``, each a Bunch of ``data`` (polars frame), ``target`` (1 for an
        attack), ``attack`` (its name), ``family`` (normal, dos, probe, r2l or u2r) and
        ``difficulty``; beside them ``feature_names`` and ``DESCR``.
    """
    parts = {
        name: _read(file, data_home, download_if_missing, names)
        for name, file in (("train", NSL_KDD_TRAIN), ("test", NSL_KDD_TEST))
    }
    if return_X_y:
        train, test = parts["train"], parts["test"]
        return train.data, train.target, test.data, test.target
    return Bunch(**parts, feature_names=list(parts["train"].data.columns), DESCR=DESCR)


def _read(file: DataFile, data_home: Any, download_if_missing: bool, names: Names) -> Bunch:
    path = obtain(file, data_home, download_if_missing=download_if_missing)
    columns = COLUMNS if names == "columns" else [f"f{i + 1}" for i in range(len(COLUMNS))]
    frame = pl.read_csv(
        path,
        has_header=False,
        new_columns=[*columns, "attack", "difficulty"],
        infer_schema_length=None,
    )
    attack = frame["attack"]
    return Bunch(
        data=frame.select(columns),
        target=(attack != "normal").cast(pl.Int8).alias("target").to_numpy(),
        attack=attack.to_numpy(),
        family=attack.replace_strict(FAMILIES).to_numpy(),
        difficulty=frame["difficulty"].to_numpy(),
    )
