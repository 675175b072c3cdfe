"""The step of `PersistentIds`: link the clusters of another method to the remembered ones."""
