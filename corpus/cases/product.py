"""Every simple type in every byte order, order, number of dimensions and version.

The files are as NumPy 2.x writes them. The lengths of the dimensions differ, so that a reader that mixes
them up, or the two orders, gives other elements.
"""

from cases.written import SINGLE, WIDE, save, slug

SHAPES = {"0d": (), "1d": (3,), "2d": (2, 3), "3d": (2, 3, 4)}
VERSIONS = {"1.0": None, "2.0": "2.0", "3.0": "3.0"}       # numpy.save chooses 1.0 for all of them
OBJECTS_ASIDE = [order + kind for kind in WIDE for order in "<>"] + ["|" + kind for kind in SINGLE]


def cases():
    """All cases of this module; what written.py has already keeps its name."""
    for version, asked in VERSIONS.items():
        for text in OBJECTS_ASIDE:
            for name, shape in SHAPES.items():
                for order in "CF" if len(shape) > 1 else "C":
                    one(version, asked, text, name, shape, order)


def one(version, asked, text, name, shape, order):
    """One file of the product."""
    words = {"C": "C order", "F": "Fortran order"}[order]
    save(f"{version}/{slug(text)}-{name}{'-fortran' if order == 'F' else ''}", text, shape,
         f"Type {text}, {len(shape)} dimensions, {words}, version {version}.", version=asked, order=order,
         rules=["NPY-DTYPE-001", "NPY-DATA-006" if order == "F" else "NPY-DATA-005"], group="product")
