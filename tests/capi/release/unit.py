"""What the importer unit.c must know of a unit, from its description; extracts it too.

    python3 tests/capi/release/unit.py robot.fmu folder

Prints version, token, how many variables and states there are, and the reference of the first torque, one a line.
"""

import sys
import zipfile
from xml.etree import ElementTree


def main(unit, folder):
    with zipfile.ZipFile(unit) as archive:
        archive.extractall(folder)
        root = ElementTree.fromstring(archive.read("modelDescription.xml"))
    version = root.get("fmiVersion")[0]
    variables = list(root.find("ModelVariables"))
    states = root.findall("ModelStructure/ContinuousStateDerivative" if version == "3" else "ModelStructure/Derivatives/Unknown")
    torque = next(v for v in variables if v.get("causality") == "input")
    for fact in version, root.get("instantiationToken") or root.get("guid"), len(variables), len(states), torque.get("valueReference"):
        print(fact)


main(*sys.argv[1:3])
