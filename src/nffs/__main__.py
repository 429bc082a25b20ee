"""`python -m nffs` is the `nffs` command."""

from nffs.cli import main

if __name__ == "__main__":
    main()
