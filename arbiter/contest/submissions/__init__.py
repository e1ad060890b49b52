"""Programs that authors send: accounts, archives, builds, inspection."""
