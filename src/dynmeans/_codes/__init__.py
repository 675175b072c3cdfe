"""Code lengths of clustered streams, and the choice between them."""
