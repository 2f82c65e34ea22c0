import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";

let running: ChildProcess | undefined;
afterEach(() => {
  running?.kill("SIGKILL");
});

/** Starts a built service in a separate process. */
async function start(env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [path.join(import.meta.dirname, "processes/service.mjs")], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  running = child;
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      printed += chunk;
    });
  }
  const url = await new Promise<string>((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`exit ${code}: ${printed}`)));
    child.stdout.on("data", (chunk: Buffer) => {
      const [, address] = /listening (\S+)/.exec(String(chunk)) ?? [];
      if (address !== undefined) resolve(address);
    });
  });
  return { child, url, printed: () => printed };
}

/** A separate connection, to send a request in pieces. */
function open(url: string) {
  const socket: Socket = connect(Number(new URL(url).port), "127.0.0.1");
  let text = "";
  socket.on("data", (chunk) => {
    text += chunk;
  });
  socket.on("error", () => undefined);
  return { socket, text: () => text, closed: once(socket, "close").then(() => text) };
}
const head = "POST /body HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 7\r\n\r\n";

describe("a process", () => {
  it("survives a promise that is rejected after the response, and logs it", async () => {
    const { child, url, printed } = await start();
    expect(await (await fetch(`${url}/detached`)).json()).toEqual({ data: "sent" });
    await wait(200);
    expect((await fetch(`${url}/api`)).status).toBe(200);
    expect(child.exitCode).toBeNull();
    expect(printed()).toContain("rejected after the response");
  });

  it("C41 responds to accepted requests after SIGTERM, and exits with 0", async () => {
    const { child, url, printed } = await start();
    const slow = Array.from({ length: 5 }, () => fetch(`${url}/slow`).then((response) => response.json()));
    await expect.poll(() => printed().match(/begun/g)).toHaveLength(5);
    const exited = once(child, "exit");
    child.kill("SIGTERM");
    expect(await Promise.all(slow)).toEqual(Array(5).fill({ data: "slow" }));
    expect(await exited).toEqual([0, null]);
    await expect(fetch(`${url}/api`)).rejects.toThrow();
  });

  it("C41 receives a started body completely after SIGTERM, and no new request", async () => {
    const { child, url } = await start();
    const { socket, closed } = open(url);
    const idle = open(url);
    await Promise.all([once(socket, "connect"), once(idle.socket, "connect")]);
    socket.write(`${head}{"a"`);
    await wait(2_000);
    const exited = once(child, "exit");
    child.kill("SIGTERM");
    await idle.closed;
    await expect(fetch(`${url}/api`)).rejects.toThrow();
    socket.write(":1}");
    expect(await closed).toMatch(/^HTTP\/1\.1 200 [\s\S]*{"data":{"a":1}}$/);
    expect(await exited).toEqual([0, null]);
  });

  it("C41 aborts requests that do not end within the drain time, and exits with 0", async () => {
    const { child, url } = await start({ DRAIN: "400" });
    const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;
    for (const text of [get("/hangs"), get("/endless"), `${head}{`]) open(url).socket.write(text);
    await wait(150);
    const exited = once(child, "exit");
    child.kill("SIGTERM");
    expect(await exited).toEqual([0, null]);
  });

  it("C41 exits immediately on a second signal of the other kind", async () => {
    const { child, url } = await start();
    fetch(`${url}/hangs`).catch(() => undefined);
    await wait(100);
    const exited = once(child, "exit");
    child.kill("SIGTERM");
    await wait(50);
    child.kill("SIGINT");
    expect(await exited).toEqual([1, null]);
  });

  it("C43 survives handlers that write after their time, and clients that disconnect at any moment, without a warning", async () => {
    const { child, url, printed } = await start({ REQUEST_TIME: "100" });
    const late = await Promise.all(Array.from({ length: 20 }, () => fetch(`${url}/writes-late`)));
    expect(late.every(({ status }) => status === 504)).toBe(true);
    for (let i = 0; i < 100; i++) {
      const { socket } = open(url);
      socket.write(i % 2 === 0 ? `${head}{"a"` : "GET /endless HTTP/1.1\r\nHost: a\r\n\r\n");
      setTimeout(() => socket.destroy(), i);
    }
    // The handlers have written by then; a busy process has ended them long before.
    await wait(1_200);
    expect((await fetch(`${url}/api`)).status).toBe(200);
    expect(child.exitCode).toBeNull();
    expect(printed()).not.toMatch(/Warning|Unhandled|uncaught/i);
  });

  it("C40 C41 exits when the last of its services has stopped", async () => {
    const { child, url } = await start({ TWO: "1" });
    const slow = fetch(`${url}/slow`).then((response) => response.json());
    await wait(100);
    const exited = once(child, "exit");
    child.kill("SIGTERM");
    expect(await slow).toEqual({ data: "slow" });
    expect(await exited).toEqual([0, null]);
  });

  it.each([
    ["SIGTERM", (child: ChildProcess) => child.kill("SIGTERM")],
    ["SIGINT", (child: ChildProcess) => child.kill("SIGINT")],
    ["a second signal", (child: ChildProcess) => child.kill("SIGTERM") && setTimeout(() => child.kill("SIGTERM"), 30)],
    ["uncaught exception", (_child: ChildProcess, url: string) => fetch(`${url}/throws-later`)],
    ["process.exit", (_child: ChildProcess, url: string) => fetch(`${url}/exits`)],
  ] as const)("C42 C66 loses no log line of a request with %s", async (_end, end) => {
    const { child, url, printed } = await start({ NODE_ENV: "production" });
    const closed = once(child, "close");
    await Promise.all(Array.from({ length: 120 }, (_, at) => fetch(`${url}/api?${at}`)));
    await Promise.all([closed, end(child, url)]);
    expect(printed().match(/"route":"\/api",.*"msg":"request"/g)).toHaveLength(120);
  });

  it("C41 exits immediately on a second signal", async () => {
    const { child, url, printed } = await start();
    const slow = fetch(`${url}/slow?milliseconds=60000`).catch(() => "cut");
    await expect.poll(printed).toContain("begun");
    const exited = once(child, "exit");
    child.kill("SIGTERM");
    await expect.poll(printed).toContain("draining");
    child.kill("SIGTERM");
    expect(await exited).toEqual([1, null]);
    expect(await slow).toBe("cut");
  });

  it("C66 exits immediately on a second signal during the delay", async () => {
    const { child, url } = await start({ DELAY: "60000" });
    const exited = once(child, "exit");
    child.kill("SIGTERM");
    await expect.poll(async () => (await fetch(`${url}/api/health/ready`)).status).toBe(503);
    child.kill("SIGTERM");
    expect(await exited).toEqual([1, null]);
  });

  it.each([
    ["/throws-later", "thrown in a timer", {}],
    ["/bad-pipe", "ENOENT", { TWO: "1" }],
  ])("C66 exits with 1 after an uncaught exception, with one fatal line: %s", async (at, reported, env) => {
    const { child, url, printed } = await start({ NODE_ENV: "test", ...env });
    const slow = fetch(`${url}/slow`).then((response) => response.json());
    await expect.poll(printed).toContain("begun");
    const exited = once(child, "exit");
    fetch(`${url}${at}`).catch(() => undefined);
    expect(await slow).toEqual({ data: "slow" });
    expect(await exited).toEqual([1, null]);
    const lines = printed().split("\n");
    const fatal = lines.filter((line) => line.startsWith("{")).filter((line) => JSON.parse(line).level === 60);
    expect(fatal).toHaveLength(1);
    expect(JSON.parse(fatal[0] as string).err).toMatchObject({ message: expect.stringContaining(reported) });
    // Nothing else is printed: no stack of Node.
    expect(lines.filter((line) => /^\s+at |^Node\.js v/.test(line))).toEqual([]);
  });

  it("C66 waits neither for hanging requests nor for the delay of a signal, and exits with 1", async () => {
    const { child, url } = await start({ NODE_ENV: "test", DELAY: "600000" });
    fetch(`${url}/hangs`).catch(() => undefined);
    const exited = once(child, "exit");
    child.kill("SIGTERM");
    await expect.poll(async () => (await fetch(`${url}/api/health/ready`)).status).toBe(503);
    fetch(`${url}/throws-later`).catch(() => undefined);
    expect(await exited).toEqual([1, null]);
  });

  it("prints the issues of an uncaught startup error once, without a stack, and exits with 1", () => {
    const program = 'import service from "@servicekit/service"; await service.init({ prot: 8000 });';
    const { status, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", program], {
      cwd: path.join(import.meta.dirname, ".."),
      encoding: "utf8",
    });
    expect(status).toBe(1);
    expect(stderr.match(/prot/g)).toHaveLength(1);
    expect(stderr).not.toMatch(/^\s+at |issues:|servicekit\//m);
  });
});
