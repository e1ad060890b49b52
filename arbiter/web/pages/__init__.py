"""Pages with forms, and the routes behind them."""
