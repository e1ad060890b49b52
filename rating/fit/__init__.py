"""From pairwise results to ratings (`bayeselo`) and to how sure they are (`intervals`)."""
