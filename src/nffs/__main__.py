"""`python -m nffs` is the `nffs` command."""

from nffs.cli import main

main()
