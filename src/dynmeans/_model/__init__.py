"""The model of the paper: costs, state, motion, prior, objective, life cycle and events.

No module here opens a file, draws a random number or imports scikit-learn. Each equation of the paper is one
function that is tagged with the label of the equation. Two loops over clusters are compiled, in
`src/core/lifecycle/`: the prediction in `prior` and the update in `lifecycle`. The docstrings of these two
modules show the equations and the reason why the loops are compiled.
"""
