"""Speed, memory and tracking accuracy of dynmeans against its peers, measured in one run."""
