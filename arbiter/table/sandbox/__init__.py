"""What keeps bots apart from each other and from the machine: tiers, files, system calls, memory."""
