"""The paper's applications as tools: read, featurise, cluster, draw."""
