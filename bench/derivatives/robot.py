"""A robot as the judge and the plain programs read it: the links of a URDF file, one after another, nothing lumped."""

import os
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, field

import numpy as np

MODELS = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir, "models")
IDENTITY = np.eye(3)


def numbers(element, name, default):
    text = None if element is None else element.get(name)
    return np.array(default if text is None else [float(part) for part in text.split()])


def rotation(rpy):
    """Of roll, pitch and yaw, as URDF has them: about the fixed axes x, y, z in turn."""
    (sr, sp, sy), (cr, cp, cy) = np.sin(rpy), np.cos(rpy)
    return np.array([[cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
                     [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
                     [-sp, cp * sr, cp * cr]])  # fmt: skip


def origin(element):
    found = None if element is None else element.find("origin")
    return rotation(numbers(found, "rpy", [0, 0, 0])), numbers(found, "xyz", [0, 0, 0])


@dataclass
class Link:
    name: str
    parent: int = -1  # -1: the world
    joint: str = ""
    kind: str = "fixed"  # fixed, revolute, prismatic, floating
    v: int = -1  # first velocity coordinate
    R: np.ndarray = field(default_factory=lambda: IDENTITY)  # of the joint in the parent
    p: np.ndarray = field(default_factory=lambda: np.zeros(3))
    axis: np.ndarray = field(default_factory=lambda: np.array([1.0, 0, 0]))
    mass: float = 0.0
    com: np.ndarray = field(default_factory=lambda: np.zeros(3))
    inertia: np.ndarray = field(default_factory=lambda: np.zeros((3, 3)))  # about com, link axes


@dataclass
class Loop:
    """Ball joint: the origin of frame 1 of one link and of frame 2 of another are one point."""

    first: str
    R1: np.ndarray
    p1: np.ndarray
    second: str
    p2: np.ndarray


@dataclass
class Robot:
    name: str
    links: list
    loops: list
    floating: bool

    @property
    def nv(self):
        return (6 if self.floating else 0) + sum(link.kind in ("revolute", "prismatic") for link in self.links)

    def link(self, name):
        return next(index for index, link in enumerate(self.links) if link.name == name)

    def joints(self):
        """Names of the joints in the order of their coordinates, without that of the base."""
        return [link.joint for link in self.links if link.kind in ("revolute", "prismatic")]


def inertial(link, element):
    found = element.find("inertial")
    if found is None:
        return
    R, link.com = origin(found)
    link.mass = float(found.find("mass").get("value"))
    entry = {key: float(value) for key, value in found.find("inertia").attrib.items()}
    about = np.array([[entry["ixx"], entry["ixy"], entry["ixz"]], [entry["ixy"], entry["iyy"], entry["iyz"]],
                      [entry["ixz"], entry["iyz"], entry["izz"]]])  # fmt: skip
    link.inertia = R @ about @ R.T


def read(name, floating, order=None):
    """models/<name>.urdf. order: names of the joints in the order that their coordinates are to have; None: of the file."""
    tree = ElementTree.parse(os.path.join(MODELS, name + ".urdf")).getroot()
    elements = {element.get("name"): element for element in tree.findall("link")}
    joints = tree.findall("joint")
    children = {joint.find("child").get("link") for joint in joints}
    root = Link(next(link for link in elements if link not in children))
    if floating:
        root.kind, root.v = "floating", 0
    links, index = [root], {root.name: 0}
    while len(links) < len(elements):
        before = len(links)
        for joint in joints:
            parent, child = joint.find("parent").get("link"), joint.find("child").get("link")
            if parent not in index or child in index:
                continue
            link = Link(child, index[parent], joint.get("name"))
            link.kind = {"continuous": "revolute"}.get(joint.get("type"), joint.get("type"))
            link.R, link.p = origin(joint)
            axis = numbers(joint.find("axis"), "xyz", [1, 0, 0])
            link.axis = axis / np.sqrt(axis @ axis)
            if link.kind not in ("fixed", "revolute", "prismatic"):
                raise ValueError(f"{name}: joint {link.joint} is {link.kind}; the judge knows fixed, revolute, prismatic")
            index[child] = len(links)
            links.append(link)
        if len(links) == before:
            raise ValueError(f"{name}: some links hang on nothing")
    for link in links:
        inertial(link, elements[link.name])
    loops = []
    for loop in tree.findall("loop"):
        if loop.get("type") != "spherical":
            raise ValueError(f"{name}: loop {loop.get('name')} is {loop.get('type')}; the judge knows ball joints")
        first, second = loop.find("predecessor"), loop.find("successor")
        loops.append(Loop(first.get("link"), *origin(first), second.get("link"), origin(second)[1]))
    robot = Robot(name, links, loops, floating)
    coordinates = order or robot.joints()
    for link in links:
        if link.joint in coordinates:
            link.v = (6 if floating else 0) + list(coordinates).index(link.joint)
    return robot
