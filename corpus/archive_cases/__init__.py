"""The definitions of the archives of the suite; see make_archives.py."""
