"""One match as values and pure machines: what is planned, said, judged, charged and recorded."""
