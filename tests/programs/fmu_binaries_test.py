"""`tenon export fmu --binaries`: one unit for several systems, by the folders that the standards name.

    python3 fmu_binaries_test.py <tenon> <models>

The binaries of other systems are made up here; packaging/test_release.sh runs real ones.
"""

import os
import platform
import struct
import subprocess
import sys
import tempfile
import unittest
import zipfile

TENON, MODELS = sys.argv[1:3]
FORMAT = b"tenon-unit 1\n"
# System, ending, what its file begins with: of macOS magic, processor and subtype in its own byte order.
SYSTEMS = {
    "x86_64-windows": (".dll", b"MZ"),
    "aarch64-linux": (".so", b"\x7fELF"),
    "aarch64-darwin": (".dylib", struct.pack("<III", 0xFEEDFACF, 0x0100000C, 0)),
    "x86_64-darwin": (".dylib", struct.pack("<III", 0xFEEDFACF, 0x01000007, 3)),
}
OWN = "x86_64-linux"


class Binaries(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.unit = os.path.join(self.folder.name, "robot.fmu")

    def put(self, system, *folders, text=None, ending=None):
        """The binary of a system in a folder; what is in it."""
        begin = SYSTEMS[system][1] if text is None else text
        text = begin + FORMAT + system.encode() * 5000 if text is None else text
        folder = os.path.join(self.folder.name, *folders, system)
        os.makedirs(folder)
        with open(os.path.join(folder, "tenon_fmu" + (ending or SYSTEMS[system][0])), "wb") as file:
            file.write(text)
        with open(os.path.join(folder, "fmi2.c.lib"), "wb") as file:
            file.write(b"what linkers leave")
        return text

    def export(self, version, *folders, code=0):
        named = [w for f in folders for w in ("--binaries", os.path.join(self.folder.name, f))]
        done = subprocess.run([TENON, "export", "fmu", os.path.join(MODELS, "iiwa14.urdf"), "--version", str(version), *named,
                               "-o", self.unit], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, code, done.stderr)
        if code:
            self.assertFalse(os.path.exists(self.unit))
            return done.stderr, {}
        with zipfile.ZipFile(self.unit) as archive:
            self.assertIsNone(archive.testzip())
            files = {n[len("binaries/"):]: archive.read(n) for n in archive.namelist() if n.startswith("binaries/")}
        os.remove(self.unit)
        return done.stdout, files

    def test_releases_of_all_systems(self):
        """Each in a tree of its own; the system that this runs on comes by itself."""
        parts = {system: self.put(system, "tenon for " + system, "lib", "tenon", "fmu") for system in SYSTEMS}
        said, files = self.export(3, *("tenon for " + s for s in SYSTEMS))
        self.assertNotIn("no binaries", said)
        own = {n: b for n, b in files.items() if n.startswith(OWN)}
        self.assertEqual(list(own), [OWN + "/tenon_fmu.so"])
        self.assertEqual({n: b for n, b in files.items() if n not in own},
                         {f"{s}/tenon_fmu{SYSTEMS[s][0]}": parts[s] for s in SYSTEMS})
        _, files = self.export(2, *("tenon for " + s for s in SYSTEMS))
        self.assertEqual(sorted(files), ["aarch64-linux/tenon_fmu.so", "darwin64/tenon_fmu.dylib", "linux64/tenon_fmu.so",
                                         "win64/tenon_fmu.dll"])
        self.assertEqual(files["linux64/tenon_fmu.so"], own[OWN + "/tenon_fmu.so"])
        self.check_universal(files["darwin64/tenon_fmu.dylib"], [parts["aarch64-darwin"], parts["x86_64-darwin"]])

    def check_universal(self, whole, parts):
        """<mach-o/fat.h>: processors, places and sizes, big-endian."""
        self.assertEqual(struct.unpack(">II", whole[:8]), (0xCAFEBABE, 2))
        found = []
        for i in range(2):
            processor, subtype, offset, size, power = struct.unpack_from(">IIIII", whole, 8 + 20 * i)
            self.assertEqual(offset % 2**power, 0)
            self.assertEqual(power, 14)
            self.assertEqual(struct.pack("<II", processor, subtype), whole[offset + 4 : offset + 12])
            found.append(whole[offset : offset + size])
        self.assertEqual(found, parts)

    def test_one_processor_of_macos(self):
        part = self.put("aarch64-darwin", "mac")
        said, files = self.export(2, "mac")
        self.assertEqual(files["darwin64/tenon_fmu.dylib"], part)
        for system in "aarch64-linux", "x86_64-windows", "x86_64-darwin":
            self.assertIn(system, said.partition("; no binaries for ")[2])
        self.assertNotIn("aarch64-darwin", said.partition("; no binaries for ")[2])

    def test_a_folder_with_all_systems(self):
        """Which is also how what this program has can be replaced: what is named goes first."""
        mine = self.put(OWN, "all", text=b"another" + FORMAT, ending=".so")
        theirs = self.put("x86_64-windows", "all")
        self.put("x86_64-windows", "more", text=b"not this" + FORMAT)
        _, files = self.export(3, "all", "more")
        self.assertEqual(files, {"x86_64-linux/tenon_fmu.so": mine, "x86_64-windows/tenon_fmu.dll": theirs})

    def test_says_what_is_wrong(self):
        os.makedirs(os.path.join(self.folder.name, "empty"))
        self.assertIn("no binaries for units in '" + self.folder.name, self.export(3, "empty", code=1)[0])
        self.put("x86_64-windows", "old", text=b"tenon-unit 0\n")
        said, _ = self.export(3, "old", code=1)
        self.assertIn("of another version", said)
        self.assertIn(os.path.join("old", "x86_64-windows", "tenon_fmu.dll"), said)


if __name__ == "__main__":
    if (platform.machine(), sys.platform) != ("x86_64", "linux"):
        sys.exit(print("SKIPPED: the names in this test are those of units made on x86-64 Linux"))
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=2)
