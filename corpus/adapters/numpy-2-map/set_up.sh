#!/bin/sh
# Installs NumPy 2.4.6; the three loaders share it.
exec sh ../shared/pip.sh "$BUILD/../numpy-2.4.6" ../shared/requirements-numpy-2.txt
