import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterEach, expect, it } from "vitest";
import { ServiceRouter } from "../src/index.js";
import { makeStarter } from "./start.js";

const { init, closeAll } = makeStarter();
afterEach(closeAll);

const packet = (paths: readonly string[]): string =>
  paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`).join("");

/**
 * Sends bytes in one write, and reads until the server closes the connection, or until this many responses have
 * arrived.
 */
async function send(port: number, text: string, until = Number.POSITIVE_INFINITY): Promise<readonly string[]> {
  const socket: Socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  socket.write(text);
  let received = "";
  let responses: readonly string[] = [];
  for await (const chunk of socket) {
    received += String(chunk);
    responses = received.split(/(?=HTTP\/1\.1 \d{3})/);
    if (responses.length >= until) break;
  }
  return responses;
}

const statusOf = (response: string): number => Number(response.slice(9, 12));

/** A router that records in which event loop tick each request started, and how many ran concurrently. */
function makeRecorder() {
  const turns: number[] = [];
  let turn = 0;
  let active = 0;
  let maxActive = 0;
  const count = (): void => {
    turn++;
    next = setImmediate(count);
  };
  let next = setImmediate(count);
  const router = ServiceRouter();
  router.get({ path: "/begun/:name" }, ({ params }, response) => {
    turns.push(turn);
    maxActive = Math.max(maxActive, ++active);
    setImmediate(() => {
      active--;
      response.json({ data: params.name });
    });
  });
  router.post({ path: "/echo" }, ({ body }, response) => void response.json({ data: body }));
  return { router, turns, maxActive: () => maxActive, stop: () => clearImmediate(next) };
}

it("C79 starts pipelined requests one after another, each in its own tick, and responds in order", async () => {
  const recorder = makeRecorder();
  const { url } = await init({ use: [recorder.router] });
  const names = Array.from({ length: 200 }, (_, index) => String(index));
  const responses = await send(Number(new URL(url).port), packet(names.map((name) => `/begun/${name}`)), names.length);
  recorder.stop();
  expect(responses.map((response) => /"data":"(\d+)"/.exec(response)?.[1])).toEqual(names);
  expect(recorder.maxActive()).toBe(1);
  expect(new Set(recorder.turns).size).toBe(names.length);
});

it("C79 closes the connection after the first 429, without processing what follows", async () => {
  const recorder = makeRecorder();
  const { url } = await init({ use: [recorder.router], middlewares: { rateLimit: { limit: 3 } } });
  const paths = Array.from({ length: 1_500 }, () => "/begun/a");
  const responses = await send(Number(new URL(url).port), packet(paths));
  recorder.stop();
  expect(responses.map(statusOf)).toEqual([200, 200, 200, 429]);
  expect(recorder.turns).toHaveLength(3);
});

it("C79 serves another client between the pipelined requests of a connection", async () => {
  const recorder = makeRecorder();
  const { url } = await init({ use: [recorder.router], middlewares: { rateLimit: { limit: 100_000 } } });
  const flood = send(Number(new URL(url).port), packet(Array.from({ length: 300 }, () => "/begun/flood")), 300);
  await expect.poll(() => recorder.turns.length).toBeGreaterThan(0);
  expect((await fetch(`${url}/begun/other`)).status).toBe(200);
  expect(recorder.turns.length).toBeLessThan(300);
  expect((await flood).length).toBe(300);
  recorder.stop();
});

it("C79 receives the body of a request that was queued behind others, and keeps the connection open", async () => {
  const recorder = makeRecorder();
  const { url } = await init({ use: [recorder.router] });
  const body = JSON.stringify({ text: "x".repeat(300_000) });
  const head = `POST /echo HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
  const text = packet(["/begun/a", "/begun/b"]) + head + body + packet(["/begun/c"]);
  const responses = await send(Number(new URL(url).port), text, 4);
  recorder.stop();
  expect(responses.map(statusOf)).toEqual([200, 200, 200, 200]);
  expect(recorder.turns).toHaveLength(3);
});
