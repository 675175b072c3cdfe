"""Air-traffic flows: messages, trajectories, velocities on a lattice, clusters over time."""

from __future__ import annotations

from dynmeans.apps.flights.flows import Flow, FlowOptions, Flows, find_flows, largest_flows
from dynmeans.apps.flights.messages import Messages, read_messages
from dynmeans.apps.flights.trajectories import Area, Limits, Trajectories, build_trajectories

__all__ = [
    "Area",
    "Flow",
    "FlowOptions",
    "Flows",
    "Limits",
    "Messages",
    "Trajectories",
    "build_trajectories",
    "find_flows",
    "largest_flows",
    "read_messages",
]
