"""What runs only in a cluster: rules from the API server, and what we write there. The offline commands import none of it."""
