"""Baselines: the methods of the paper's comparison, and clustering each batch with matching of centers.

Every call of ``partial_fit`` is one time step; ``labels_`` are the ids of the rows of the last batch.
"""

from dynmeans.baselines.dpmeans import DPMeans
from dynmeans.baselines.gibbs import MCGMMGibbs
from dynmeans.baselines.particles import ParticleLearning
from dynmeans.baselines.rematch import ReclusterAndMatch, TrueLabels
from dynmeans.baselines.variational import VariationalDP

__all__ = ["DPMeans", "MCGMMGibbs", "ParticleLearning", "ReclusterAndMatch", "TrueLabels", "VariationalDP"]
