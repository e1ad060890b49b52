#!/usr/bin/env bash
# @modelcontextprotocol/client 2.4.0 (npm), Node.js, Linux, seen 2026-11-29.
#
# Behaviour: with `versionNegotiation: {mode: "auto"}` over standard input and output, connect() starts the server's
# program twice: the first process answers `server/discover` and is ended, the second one serves the calls. Without the
# option it is started once, with the older handshake.
# Output seen: "auto: 2 starts, 2026-07-28", "default: 1 start, 2025-11-25".
# Who meets it: servers whose start is slow, takes a lock, opens a connection or counts as a use: everything before the
# first request is done twice, and the two processes may overlap.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund @modelcontextprotocol/client@2.4.0 @modelcontextprotocol/server@2.4.0
cat > server.mjs <<'JS'
import { appendFileSync } from "node:fs";
import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";

appendFileSync("starts", "start\n");
serveStdio(() => new McpServer({ name: "one", version: "1" }));
JS
cat > client.mjs <<'JS'
import { readFileSync, writeFileSync } from "node:fs";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

for (const [name, options, expected] of [
    ["auto", { versionNegotiation: { mode: "auto" } }, 2],
    ["default", {}, 1],
]) {
    writeFileSync("starts", "");
    const client = new Client({ name: "probe", version: "1" }, options);
    await client.connect(new StdioClientTransport({ command: process.execPath, args: ["server.mjs"] }));
    const version = client.getNegotiatedProtocolVersion();
    await client.close();
    const starts = readFileSync("starts", "utf8").split("\n").length - 1;
    console.log(`${name}: ${starts} ${starts === 1 ? "start" : "starts"}, ${version}`);
    if (starts !== expected) process.exit(1);
}
JS
node client.mjs
