import { createServer } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { expect, it, vi } from "vitest";
import { blockEventLoop } from "../../../../scripts/test/block-event-loop.js";
import { startTimeLimit, withTimeLimit } from "./time-limit.js";

it("counts only the time in which the process ran", async () => {
  const onLate = vi.fn();
  const stop = startTimeLimit(400, onLate);
  await wait(1);
  blockEventLoop(800);
  await wait(1);
  expect(onLate).not.toHaveBeenCalled();
  await vi.waitFor(() => expect(onLate).toHaveBeenCalledOnce(), 60_000);
  stop();
});

it("handles input that arrived while the process was blocked before the time limit ends", async () => {
  const server = createServer((socket) => socket.end("answer"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { connect } = await import("node:net");
  const socket = connect((server.address() as { port: number }).port, "127.0.0.1");
  const response = new Promise((resolve) => socket.once("data", (data) => resolve(String(data))));
  await new Promise((resolve) => socket.once("connect", resolve));
  const limited = withTimeLimit(response, 200, () => new Error("late"));
  blockEventLoop(500);
  await expect(limited).resolves.toBe("answer");
  server.close();
});

it("returns the given error if no response arrives", async () => {
  await expect(withTimeLimit(new Promise(() => undefined), 20, () => new Error("late"))).rejects.toThrow("late");
  await expect(withTimeLimit(Promise.reject(new Error("own")), 20, () => new Error("late"))).rejects.toThrow("own");
});
