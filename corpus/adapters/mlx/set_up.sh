#!/bin/sh
# Installs MLX with its back end for processors.
exec sh ../shared/pip.sh "$BUILD/packages" requirements.txt
