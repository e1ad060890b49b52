"""Language models at the table: a confined harness that asks, and a gateway on the organiser's side.

Theory of operation. The referee talks to a model's seat as to any bot. What answers is the harness
(`harness`): a program that hears the match as its seat does, makes prompts of what the seat may see
(`prompts`), and reads answers out of texts. It is confined like every bot, and has one descriptor more, a
socket whose other end the referee's process holds. There the gateway (`gateway`) takes its questions: it
keeps the accounts (`token_account`), holds the key, talks to the provider (`provider`), and keeps what was
said.

    referee ──commands──> harness ──messages──> gateway ──HTTP──> provider
            <──replies───         <───a text───         <──stream──

The harness cannot see more than its seat, since it hears nothing else, nor reach anything but the gateway.
A kept match is played again without a call (`replayed_model`): the harness asks, kept answers answer.

On the socket a message is a JSON object on a line. The gateway begins, and says before each request what is
left; the harness asks only then.

    > {"game": {...}, "seat": 0, "rules": "...", "form": {...}}
    > {"left": {"move": 8000, "match": 400000, "attempts": 2}}
    < {"messages": [{"role": "system", "content": "..."}, ...]}
    > {"outcome": "text", "text": "..."}
"""

HARNESS = 1
"""The number of the harness and its prompts: it changes with every text that a model is sent."""
