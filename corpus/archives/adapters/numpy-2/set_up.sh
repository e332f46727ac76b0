#!/bin/sh
# Installs NumPy 2.4.6, for the adapters of NPY files too.
exec sh ../../../adapters/shared/pip.sh "$BUILD/../numpy-2.4.6" ../../../adapters/shared/requirements-numpy-2.txt
