"""Traversal of links and joints from the root: bodies, links on fixed joints folded into them, frames, couplings."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...arrays import Array, is_concrete
from ...errors import ModelError, unknown_name_error
from ...lie import inertia
from ..body import WORLD, Body, Frame, Mimic
from ..contact.checks import check_rules
from ..contact.names import check_names, with_names
from ..effects.link_effects import of_both
from ..joints import Fixed
from ..model import Model
from .connections import Connection, followed

if TYPE_CHECKING:
    from .builder import Builder


class Tree:
    """Traversal of the tree in `build`: bodies and frames found so far."""

    def __init__(self, builder: Builder, joints: Iterable[Connection]) -> None:
        self.builder = builder
        self.bodies: list[Body] = []
        self.at: dict[str, int] = {}
        self.resting = np.zeros((6, 6))
        self.mimics: dict[str, tuple[str, Array, Array] | None] = {}
        self.frames: dict[str, Frame] = {}
        self.children: dict[str, list[Connection]] = {}
        for joint in joints:
            self.children.setdefault(joint.parent, []).append(joint)

    def add(self, root: Connection, body: int, X_bp: Array) -> None:
        """Depth first, in file order, without recursion: long chains are common."""
        pending = [(root, body, X_bp)]
        while pending:
            joint, body, X_bp = pending.pop()
            body, X_bl = self._attach(joint, body, X_bp)
            self.frames[joint.child] = Frame(joint.child, body, X_bl)
            pending += [(j, body, X_bl) for j in reversed(self.children.get(joint.child, []))]

    def _attach(self, joint: Connection, parent: int, X_bp: Array) -> tuple[int, Array]:
        """The body that carries the joint's child link, and the link's pose in it."""
        J = self.builder._links.get(joint.child, np.zeros((6, 6)))
        acting = self.builder._link_effects.get(joint.child)
        own = None if acting is None else (acting,)
        X_pj = X_bp @ joint.X_pj
        if isinstance(joint.joint, Fixed):
            X_bl = X_pj @ joint.X_ji
            if parent != WORLD:
                carrier = self.bodies[parent]
                both = of_both(carrier.link_effects, own, X_bl)
                self.bodies[parent] = replace(carrier, J=carrier.J + inertia_in_body(X_bl, J), link_effects=both)
            elif is_concrete(J) and is_concrete(X_bl):
                self.resting = self.resting + inertia_in_body(X_bl, J)
            return parent, X_bl
        body = Body(
            index=len(self.bodies),
            name=joint.child,
            parent=parent,
            joint_name=joint.name,
            joint=joint.joint,
            X_pj=X_pj,
            X_ji=joint.X_ji,
            J=J,
            limits=joint.limits,
            effects=joint.effects,
            link_effects=own,
        )
        self.bodies.append(body)
        self.at[joint.name] = body.index
        self.mimics[joint.name] = joint.mimic
        return body.index, np.eye(4)

    def model(self, gravity: Array) -> Model:
        """The finished model."""
        builder = self.builder
        for link in builder._link_effects:
            if link not in self.frames:
                raise ModelError(f"effects are on {unknown_name_error('link', link, self.frames)}")
        for shape in builder._geometry:
            if shape.frame not in self.frames:
                raise ModelError(f"a {shape.kind} is on {unknown_name_error('link', shape.frame, self.frames)}")
        for name, (link, X_lf) in builder._frames.items():
            if link not in self.frames:
                moved = [f". Joint {link!r} moves the link {j.child!r}" for j in [builder._joints.get(link)] if j]
                raise ModelError(
                    f"frame {name!r} is on {unknown_name_error('link', link, self.frames)}{''.join(moved)}"
                )
            if name in self.frames:
                raise ModelError(f"frame {name!r} has the name of a link")
            on = self.frames[link]
            self.frames[name] = Frame(name, on.body, on.X_bf @ X_lf)
        bodies = tuple(replace(b, mimic=self._mimic(b)) for b in self.bodies)
        resting = self.resting if np.any(self.resting) else None
        check_names(builder._geometry)
        shapes, fluid, rules = with_names(builder._geometry), builder._fluid, builder._contact_rules
        more: dict[str, Any] = {"resting": resting, "fluid": fluid, "contact_rules": rules}
        made = Model(builder.name, bodies, self.frames, gravity, shapes, **more)
        if rules is not None:
            check_rules(made, rules)
        return made

    def _mimic(self, body: Body) -> Mimic | None:
        """The coupling of a body's joint, a chain of mimics resolved to its first link."""
        name, seen, chain = body.joint_name, {body.joint_name: None}, []
        while (mimic := self.mimics[name]) is not None:
            chain.append(mimic)
            name = mimic[0]
            if name not in self.at:
                told = f"joint {body.joint_name!r} mimics {name!r}, which is not a moving joint of the robot"
                raise ModelError(f"{told}: {unknown_name_error('joint', name, self.at)}")
            if name in seen:
                circle = [*seen][[*seen].index(name) + 1 :]
                way = [*map(repr, circle[:2]), *["…"] * (len(circle) > 2), repr(name)]
                raise ModelError(f"joint {name!r} mimics itself: {name!r} mimics {', which mimics '.join(way)}")
            seen[name] = None
        if name == body.joint_name:
            return None
        follower, source, R, r = body, body, np.eye(body.joint.nq), np.zeros(body.joint.nq)
        for name, ratio, offset in chain:  # q = R q_follower + r, and q_follower = A q_source + b
            source = self.bodies[self.at[name]]
            A, b = followed(follower, source, ratio, offset)
            follower, R, r = source, R @ A, R @ b + r
        try:
            return Mimic(source.index, R, r)
        except ModelError as error:
            through = f"joint {body.joint_name!r}, which mimics {name!r} through {len(chain)} joints"
            raise ModelError(f"{through}: {error}") from None


def inertia_in_body(X_bl: Array, J_l: Array) -> Array:
    """A fixed link's inertia (6, 6) in the frame of its body, from that in the frame of the link."""
    return inertia.from_parameters(inertia.change_frame_parameters(X_bl, inertia.to_parameters(J_l)))
