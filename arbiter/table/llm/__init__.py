"""Language models at the table: a confined harness that asks, and a gateway on the organiser's side.

Theory of operation. The referee treats a model's seat like any bot. The bot is the harness (`harness`): a
program that receives the seat's commands, makes prompts of the seat's information (`prompts`), and parses
answers in texts. It is confined like every bot, and has one more descriptor, a socket to the referee's
process. There the gateway (`gateway`) takes its questions: it counts tokens (`token_account`), has the key,
sends requests to the provider (`provider`, in turn by `endpoint_queue`), and records all texts.

    referee ──commands──> harness ──messages──> gateway ──HTTP──> provider
            <──replies───         <───a text───         <──stream──

The harness cannot see more than its seat, since it receives nothing else, and can reach only the gateway.
A recorded match is replayed without calls (`replayed_model`): recorded answers replace the provider's.

On the socket a message is a JSON object on a line. The gateway begins, and sends before each request the
remaining tokens; only then does the harness ask.

    > {"game": {...}, "seat": 0, "rules": "...", "form": {...}}
    > {"left": {"move": 8000, "match": 400000, "attempts": 2}}
    < {"messages": [{"role": "system", "content": "..."}, ...]}
    > {"outcome": "text", "text": "..."}
"""

HARNESS = 1
"""The version of the harness and its prompts: it changes with any text for models."""
