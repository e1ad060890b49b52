"""Templates, charts, scripts and what is sent of them."""
