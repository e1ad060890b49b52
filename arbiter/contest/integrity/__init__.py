"""Questions for the organiser about who plays with whom, each with its evidence; none acts by itself."""
