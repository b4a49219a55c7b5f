"""Forward dynamics of an arm inside CasADi: finds the torques that hold it, and linearises a step in time about them.

    python3 arm.py <tenon> models/iiwa14.urdf

Needs the program `tenon`, a C compiler, and casadi from PyPI. `tenon codegen --casadi` writes the function with all that
casadi.external looks for; CasADi takes its derivatives by finite differences. With --derivatives it takes those that are
generated too: shooting.py.
"""

import os
import subprocess
import sys
import tempfile

import casadi as ca


def load(tenon, robot, algorithm, folder, *options):
    """An algorithm of Tenon as a CasADi function: arguments by their names, q, v and tau of aba for instance."""
    source, library = (os.path.join(folder, algorithm + ending) for ending in (".c", ".so"))
    subprocess.run(
        [tenon, "codegen", robot, "--algorithm", algorithm, "--function", algorithm, "--casadi", *options, "-o", source],
        check=True,
    )
    subprocess.run([os.environ.get("CC", "cc"), "-O2", "-shared", "-fPIC", source, "-o", library, "-lm"], check=True)
    how = {} if {"--derivatives", "--hessian"} & set(options) else {"enable_fd": True, "fd_method": "central"}
    return ca.external(algorithm + "_casadi", library, how)


def main(tenon, robot):
    with tempfile.TemporaryDirectory() as folder:
        aba = load(tenon, robot, "aba", folder)
        n = aba.size1_in("tau")
        q, v, tau = (ca.MX.sym(name, n) for name in ("q", "v", "tau"))

        # The torques at which the arm stands still: the root of aba(q, 0, tau) = 0 in tau, by Newton's method.
        hold = ca.rootfinder("hold", "newton", {"x": tau, "p": q, "g": aba(q, 0, tau)})
        posture = ca.linspace(-0.6, 0.9, n)
        torques = hold(x0=0, p=posture)["x"]
        print("held by", " ".join(f"{t:.4f}" for t in torques.full().ravel()))

        # x = (q, v) after a step of 10 ms, and its derivatives A and B by state and torque, as a regulator needs them.
        dt, acceleration = 0.01, aba(q, v, tau)
        step = ca.vertcat(q + dt * v + dt**2 / 2 * acceleration, v + dt * acceleration)
        linear = ca.Function("linear", [q, v, tau], [ca.jacobian(step, ca.vertcat(q, v)), ca.jacobian(step, tau)])
        A, B = linear(posture, 0, torques)
        print(f"A {A.shape[0]} x {A.shape[1]}, largest {float(ca.mmax(ca.fabs(A))):.6f}; B largest {float(ca.mmax(ca.fabs(B))):.6f}")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2])
