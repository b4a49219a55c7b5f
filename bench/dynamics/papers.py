"""What others published, for report.py. Microseconds; measured on other machines, so read as orders of magnitude."""

# [CABA] Tables II and III: systems there, robots here, and the times of the paper's implementation in Pinocchio with
# Turbo Boost, clang 14 -O3 -march=native. None: not legible or not given.
TABLE_2 = {
    "Iiwa, H3": ("iiwa14_point", [1.07, 1.03, 1.01, 1.58]),
    "Iiwa, H6": ("iiwa14", [1.10, 1.43, 1.03, 2.10]),
    "Solo, F3^2": ("solo12_two_feet", [2.00, 2.25, 2.23, 3.18]),
    "Solo, F3^4": ("solo12", [2.45, 3.05, 2.35, 4.15]),
    "Talos, F6^2": ("talos_full_v2", [5.43, 6.83, 7.32, 10.6]),
    "Talos, F6^2 H6^2": ("talos_full_v2_hands", [6.69, None, 7.77, 15.1]),
    "Talos, F3^8": ("talos_full_v2_points", [6.16, 8.76, 7.47, 14.3]),
    "Atlas SR, F6^2": ("atlas_shadow_hands_feet", [8.36, 10.1, 13.8, 18.1]),
    "Atlas SR, F6^2 T3^5": ("atlas_shadow_hands_one_hand", [10.8, 14.9, 14.8, 26.8]),
    "Atlas SR, F6^2 T3^10": ("atlas_shadow_hands", [12.5, 21.6, 15.2, 37.5]),
    "Chain 7 SP, H6": ("spherical_chain_7", [1.91, 2.42, 2.21, 3.53]),
    "Chain 14 SP, H6": ("spherical_chain_14", [3.80, 4.54, 6.21, 7.67]),
}
TABLE_2_METHODS = {
    "cABA": ("constrained_aba", "constrainedABA"),
    "PV": ("prox_pv", "pv"),
    "LTLs": ("prox_ltls", None),
    "LTL": ("prox_ltl", "constraintDynamics"),
}
TABLE_3 = {
    "Iiwa, H3": [0.74, 0.74, 0.66, 0.58],
    "Iiwa, H6": [0.82, 0.81, 0.84, 0.67],
    "Solo, F3^2": [1.63, 1.75, 1.64, 1.44],
    "Solo, F3^4": [2.00, 2.38, 2.64, 1.95],
    "Talos, F6^2": [4.28, 4.62, 6.74, 6.01],
    "Talos, F6^2 H6^2": [5.51, 5.86, 11.3, 8.79],
    "Atlas SR, F6^2": [6.70, 6.82, 13.1, 12.6],
    "Atlas SR, F6^2 T3^5": [8.63, 9.21, 21.4, 17.8],
    "Atlas SR, F6^2 T3^10": [12.5, 13.4, 37.2, 26.3],
}
TABLE_3_METHODS = {"cABA-f": "caba_osimf", "cABA": "caba_osim", "LTL-inv": "ltl_inverse", "LTL-chol": "ltl_cholesky"}

# generalized_rbda 45fa7c4 (g++ 12 and clang 14, -O3 -march=native, the better of both, one Xeon core with AVX-512).
# Names as loop_study writes them.
GENERALIZED_RBDA = {
    "forward_dynamics": {"mini_cheetah": 36, "mit_humanoid": 59, "jvrc1": 95, "tello": 280,
                         "rotor chain of 24 links": 74, "belt chain of 24 links": 94, "four_bar": 45},
    "inverse_dynamics": {"mini_cheetah": 11, "mit_humanoid": 17, "jvrc1": 30},
    "inverse_osim": {"mini_cheetah": 49, "mit_humanoid": 77, "jvrc1": 128},
}

# Newton's Kamino: a world-step of a biped with six loops on a whole L40S.
KAMINO_WORLD_STEP = 47.5
# MuJoCo Warp, Panda, a state's smooth stages on an RTX 6000 Ada, nanoseconds, published August 2026.
MUJOCO_WARP_PANDA = 23
