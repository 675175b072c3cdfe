"""Air-traffic flows: messages, trajectories, velocities on a lattice, clusters over time."""
