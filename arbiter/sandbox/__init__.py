"""The walls between bots, and around the machine: tiers, files, system calls, memory."""
