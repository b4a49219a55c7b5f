"""What the programs of bench/studies wrote in a run of bench/peers.sh, as rows of its summary."""

import csv
import math
import os
import re

import papers


def loop_rows(raw):
    """Beside the fastest of generalized_rbda's models and builds in this run, or where it was not built beside its
    published times."""
    path = os.path.join(raw, "loop_peers.csv")
    if os.path.exists(path):
        fastest = {}
        with open(path, newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                key = (row["robot"], row["quantity"])
                if key not in fastest or float(row["peer"]) < float(fastest[key]["peer"]):
                    fastest[key] = row
        return [{"robot": robot, "quantity": quantity, "tenon_us": float(row["tenon"]), "peer_us": float(row["peer"]),
                 "ratio": round(float(row["peer"]) / float(row["tenon"]), 2), "model": row["model"],
                 "compiler": row["compiler"],
                 "difference": None if math.isnan(float(row["difference"])) else float(row["difference"]),
                 "published_us": papers.GENERALIZED_RBDA.get(quantity, {}).get(robot)}
                for (robot, quantity), row in fastest.items()]
    path = os.path.join(raw, "loop_study.csv")
    if not os.path.exists(path):
        return []
    table = []
    with open(path, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            published = papers.GENERALIZED_RBDA.get(row["quantity"], {}).get(row["robot"])
            if row["study"] == "speed" and published:
                us = float(row["cluster"])
                table.append({"robot": row["robot"], "quantity": row["quantity"], "tenon_us": round(us, 4),
                              "published_us": published, "ratio": round(published / us, 2)})
    return table


def geared_rows(raw):
    """What loop_cost printed of forward dynamics: robot, task, exact, and armature and ratio where it has rotors."""
    path = os.path.join(raw, "loop_cost.txt")
    if not os.path.exists(path):
        return []
    table = []
    with open(path, encoding="utf-8") as file:
        for robot, task, exact, *rest in (line.split() for line in file.readlines()[1:]):
            armature = float(rest[0]) if rest else None
            if task == "forward":
                table.append({"robot": robot, "exact_us": float(exact), "armature_us": armature,
                              "ratio": armature and round(float(exact) / armature, 3)})
    return table


def growth_rows(raw):
    """What derivative_scaling printed, a row a size, and one with the exponents, whose n is None."""
    path = os.path.join(raw, "derivative_scaling.txt")
    if not os.path.exists(path):
        return []
    table = []
    with open(path, encoding="utf-8") as file:
        for block in file.read().split("\n\n")[1:]:
            title, header, *lines = block.strip().splitlines()
            names = re.split(r"\s{2,}", header.strip())[2:-1]
            for line in lines:
                words = line.split()
                size = words[0] != "exponent"
                values = map(float, words[2:] if size else words[1:1 + len(names)])
                table.append({"of": title, "n": int(words[0]) if size else None, "m": int(words[1]) if size else None,
                              **dict(zip(names, values))})
    return table
