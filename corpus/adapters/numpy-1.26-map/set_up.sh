#!/bin/sh
# Installs NumPy 1.26.4; the three loaders share it.
exec sh ../shared/pip.sh "$BUILD/../numpy-1.26.4" ../shared/requirements-numpy-1.26.txt
