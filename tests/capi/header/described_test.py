"""What packaging/api.json says of NULL and of lengths, and so the blocks of the headers, is what the library does: each
pointer of each function that returns a status is NULL once, on several robots, the other arguments good; and the counts
of good calls are the lengths that are said.

    python3 described_test.py <libtenon.so> <include folder> <models folder> <api.json>
"""

import json
import math
import sys
import tempfile
from collections import defaultdict

import statuses_test
from statuses_scenes import MATRICES, scenes
from statuses_test import Argument

INVALID = "TENON_INVALID_ARGUMENT"
NEEDED_BY_ANOTHER = {
    ("tenon_kinematics", "v"): "a, which is given, needs it",
    ("tenon_batch_kinematics", "v"): "velocities, which are given, need it",
    ("tenon_batch_kinematics_vjp", "v"): "gradients by velocities, which are given, need it",
    ("tenon_batch_kinematics_jvp", "v"): "velocities, which are given, need it",
    **{(f"tenon_batch_link_motion{form}", "v"): "velocities and accelerations, which are given, need it" for form in ("", "_vjp", "_jvp")},
    **{(f"tenon_batch_centroidal{form}", "v"): "numbers of motion, which are given, need it" for form in ("", "_vjp", "_jvp", "_parameter_vjp")},
}


class Test(statuses_test.Test):
    """Only the good call and those with NULL."""

    def drive_nulls(self, scene, function, statuses, described):
        good, _ = self.arguments(function, scene)
        self.seen[function.name].clear()
        self.call(function, scene, good, "good arguments")
        if any(s in self.failures for s in self.seen[function.name]):
            return  # the scene is not for this function
        self.lengths(scene, function, good, described)
        for i, p in enumerate(function.parameters):
            if "*" not in p.type or good[i].keep and isinstance(good[i].keep, tuple) and good[i].keep[0] == 0:
                continue  # an array of no numbers may be NULL anywhere
            arguments = [
                self.argument(function, scene, q, j) if q.written and "*" in q.type else good[j]
                for j, q in enumerate(function.parameters)
            ]
            arguments[i] = Argument(None)
            self.seen[function.name].clear()
            self.call(function, scene, arguments, p.name + " NULL")
            statuses[function.name, p.name] |= self.seen[function.name]

    def lengths(self, scene, function, good, described):
        """Counts of the good call, which are exactly right for vectors, beside what is said."""
        names = [p.name for p in function.parameters]
        sizes = {
            "nq": scene.nq,
            "nv": scene.nv,
            "nyq": scene.nyq,
            "ny": scene.ny,
            "m": scene.m,
            "triangle": scene.nv * (scene.nv + 1) // 2,
            "constraints": scene.count,
            "links": scene.links,
            "parameters": 10 * scene.links,
            "loop rows": scene.loop_rows,
            "ratios": scene.ratios,
            "spanning nv": scene.nv,
            "rows of it": scene.first_rows,
            "convention_nq": scene.test.c.tenon_convention_nq(scene.model, 0),
        }
        sizes.update({n: a.value for n, a in zip(names, good) if isinstance(a.value, int)})
        sizes.update({"dependent": 1, "independent": 1})  # the names that tenon_builder_add_coupling gets
        for a in described["arguments"]:
            if a["kind"] == "batch_array":
                count = good[names.index(a["name"])].keep[0]
            elif a["kind"] == "array" and "count" in a and a["name"] not in MATRICES | {"assemblies"}:
                count = good[names.index(a["count"])].value
            else:
                continue
            said = [
                math.prod(int(s) if s.isdigit() else sizes[s] for s in one.split(" x "))
                for one in a["length"].split(" or ")
            ]
            self.compared += 1
            if count not in said:
                self.refusals.faults[function.name, a["name"]] = (
                    f"{function.name}: {a['name']} has {count} numbers, not {a['length']} = {said}"
                )

    def spoil(self, function, scene, p, good):
        return ()


def main(library, include, models, description):
    test = Test(library, include, models)
    test.failures = {name for value, name in test.header.status_names.items() if value < 0}
    test.compared = 0
    with open(description, encoding="utf-8") as file:
        described = {f["name"]: f for f in json.load(file)["functions"]}
    statuses = defaultdict(set)
    with tempfile.TemporaryDirectory() as test.folder:
        test.other_model = test.robot("panda_arm")
        for scene in scenes(test):
            if not (scene.nv and scene.nyq):
                continue
            for function in test.header.functions.values():
                without_rows = "_step_" in function.name and function.name.endswith(("_vjp", "_jvp"))
                if without_rows != (scene.m == 0):
                    continue  # matrices of no rows may be NULL too
                if function.result == "tenon_status" and function.name != "tenon_status_at":
                    test.drive_nulls(scene, function, statuses, described[function.name])
    faults = sorted(test.refusals.faults.values())
    for f in described.values():
        for a in f["arguments"]:
            came = statuses.get((f["name"], a["name"]), set())
            if not came:
                if a["pointers"] and f["result"]["base"] == "tenon_status":
                    faults.append(f"{f['name']}: {a['name']} was never tried")
            elif a["null"] and came == {INVALID} and (f["name"], a["name"]) not in NEEDED_BY_ANOTHER:
                faults.append(f"{f['name']}: {a['name']} may be NULL, says its block, and the library refuses it")
            elif not a["null"] and came != {INVALID}:
                faults.append(f"{f['name']}: {a['name']} may not be NULL, for all that its block says, and came {came}")
    print(f"{len(statuses)} pointers, {test.compared} lengths, {test.calls} calls")
    print("\n".join(faults))
    return 1 if faults else 0


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
