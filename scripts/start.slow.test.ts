import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect, createServer } from "node:net";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { expect, inject, it } from "vitest";
import { createDatabase } from "../packages/dev-database/src/index.js";

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  return port;
}

it("npm start completes a running request when Ctrl+C reaches the whole process group", {
  timeout: 300_000,
}, async () => {
  const database = await createDatabase(inject("postgresUrl"));
  const port = await freePort();
  const child = spawn(process.execPath, [path.join(import.meta.dirname, "dev.mjs"), "start"], {
    env: { ...process.env, DATABASE_URL: database.url, PORT: String(port), HOST: "127.0.0.1" },
    // A separate process group, as in a terminal.
    detached: true,
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
  const exited = once(child, "exit");
  try {
    await expect.poll(() => output, { timeout: 240_000, interval: 200 }).toContain("Ctrl+C");
    const body = '{"name":"interrupted"}';
    const socket = connect(port, "127.0.0.1");
    let response = "";
    socket.on("data", (chunk) => (response += chunk)).on("error", () => {});
    const closed = once(socket, "close");
    const head = `POST /api/tags HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`;
    // The first response shows that the connection is open and its second request has started.
    socket.write(`GET /api HTTP/1.1\r\nHost: a\r\n\r\n${head}\r\nConnection: close\r\n\r\n${body.slice(0, 5)}`);
    await expect.poll(() => response).toContain("200 OK");
    process.kill(-(child.pid ?? 0), "SIGINT");
    await expect.poll(() => fetch(`http://127.0.0.1:${port}/api`).catch(() => "refused")).toBe("refused");
    // The service has received its signal; npm passes its own signal on.
    child.kill("SIGINT");
    await wait(500);
    socket.write(body.slice(5));
    await closed;
    expect(response).toContain("201 Created");
    expect(await exited).toEqual([0, null]);
  } finally {
    if (child.exitCode === null) process.kill(-(child.pid ?? 0), "SIGKILL");
    await database.drop();
  }
});
