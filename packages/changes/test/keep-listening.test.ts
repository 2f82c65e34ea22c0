import { afterEach, expect, it, vi } from "vitest";
import { keepListening, type ListeningOptions } from "../src/keep-listening.js";

const patience = { timeout: 60_000, interval: 5 };

const opened: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const listening of opened.splice(0)) await listening.stop();
});

/** A channel in memory: what is sent arrives at every connection, unless the channel is down. */
function open(options: Partial<ListeningOptions> = {}) {
  const connections = new Set<{ receive(payload: string): void; end(): void }>();
  const channel = { isDown: false, attempts: 0, closed: 0 };
  const states: boolean[] = [];
  const received: string[] = [];
  const warnings: string[] = [];
  const send = (payload: string): void => {
    for (const { receive } of connections) receive(payload);
  };
  const listening = keepListening({
    listen: async (receive, end) => {
      channel.attempts++;
      if (channel.isDown) throw new Error("connection refused");
      const connection = { receive, end };
      connections.add(connection);
      return async () => {
        connections.delete(connection);
        channel.closed++;
      };
    },
    notify: async (payload) => send(payload),
    receive: (payload) => void received.push(payload),
    onState: (isListening) => void states.push(isListening),
    warn: (message) => void warnings.push(message),
    ...{ testMs: 60_000, pauseMs: 1, ...options },
  });
  opened.push(listening);
  const lose = (): void => {
    for (const { end } of connections) end();
  };
  return { ...{ listening, channel, connections, states, received, warnings, send, lose } };
}

it("C111 receives notifications, except those of its tests, once they arrive", async () => {
  const { connections, states, received, send } = open();
  await vi.waitUntil(() => states.length > 0, patience);
  send("one");
  send("test:of another process");
  expect([states, received, connections.size]).toEqual([[true], ["one"], 1]);
});

it("C111 reports a lost connection, and connects again", async () => {
  const { states, channel, received, send, lose } = open();
  await vi.waitUntil(() => states.length === 1, patience);
  lose();
  await vi.waitUntil(() => states.length === 3, patience);
  send("two");
  expect([states, received, channel.closed]).toEqual([[true, false, true], ["two"], 1]);
});

it("C111 connects again after failed attempts, without a warning", async () => {
  const { states, channel, warnings, lose } = open();
  await vi.waitUntil(() => states.length === 1, patience);
  channel.isDown = true;
  lose();
  await vi.waitUntil(() => channel.attempts > 3, patience);
  channel.isDown = false;
  await vi.waitUntil(() => states.at(-1) === true && states.length > 3, patience);
  expect(states.slice(0, 3)).toEqual([true, false, false]);
  expect(warnings).toEqual([]);
});

it("C111 warns once if the notification of the test does not arrive, and tries no more", async () => {
  const { listening, channel, connections, states, warnings } = open({
    testMs: 5,
    notify: async () => undefined,
  });
  await vi.waitUntil(() => warnings.length > 0, patience);
  expect(warnings).toEqual([expect.stringContaining("PgBouncer with pool_mode = transaction")]);
  await listening.stop();
  expect([channel.attempts, connections.size, states]).toEqual([1, 0, []]);
});

it("C111 closes its connection when it is stopped, and reports nothing more", async () => {
  const { listening, channel, connections, states, warnings } = open();
  await vi.waitUntil(() => states.length === 1, patience);
  await listening.stop();
  expect([connections.size, channel.attempts, states, warnings]).toEqual([0, 1, [true], []]);
});

it("C111 stops while it waits for the notification of the test", async () => {
  const { listening, channel, connections, states, warnings } = open({ notify: async () => undefined });
  await vi.waitUntil(() => connections.size === 1, patience);
  await listening.stop();
  expect([connections.size, channel.attempts, states, warnings]).toEqual([0, 1, [], []]);
});
