"""Flows of aircraft: messages, trajectories, velocities on a lattice, clusters by time of take-off."""
