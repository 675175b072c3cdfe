"""What a run does, from its arguments: checks, inputs, model and time steps."""
