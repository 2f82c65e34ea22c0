import { afterEach, beforeEach, describe, expect, it, type MockInstance, vi } from "vitest";
import { ServiceRouter } from "../src/index.js";
import { endOnException } from "../src/lifecycle/end-on-exception.js";
import { stopOnSignals } from "../src/lifecycle/stop-on-signals.js";
import { makeStarter } from "./start.js";

const { create, init, logged, closeAll } = makeStarter();
let exit: MockInstance;
/** The other listeners, such as those of the test runner. */
const events = ["SIGTERM", "SIGINT", "uncaughtException"] as const;
let others: (readonly [string, readonly NodeJS.SignalsListener[]])[];
beforeEach(() => {
  exit = vi.spyOn(process, "exit").mockImplementation((() => undefined) as never);
  others = events.map((name) => [name, process.listeners(name as "SIGTERM")]);
  for (const name of events) process.removeAllListeners(name);
});
afterEach(async () => {
  await closeAll();
  for (const name of events) process.removeAllListeners(name);
  for (const [name, listeners] of others) for (const listener of listeners) process.on(name, listener);
  process.exitCode = undefined;
  vi.restoreAllMocks();
});
const emit = (name: string, value?: unknown) => process.emit(name as "SIGTERM", value as never);

/** A service with a request that does not end by itself. */
async function busy(config: object = {}) {
  const router = ServiceRouter();
  const end = new Promise<() => void>((resolve) => {
    router.get({ path: "/wait" }, (_request, response) => resolve(() => void response.json({})));
  });
  const service = await init({ use: [router], ...config });
  const response = fetch(`${service.url}/wait`).then(
    ({ status }) => status,
    () => "aborted",
  );
  return { service, response, end: await end };
}

describe("C41 a signal to stop", () => {
  it.each(["SIGTERM", "SIGINT"])(
    "%s ends the process when every service has responded to its requests",
    async (signal) => {
      const idle = await init();
      const { service, response, end } = await busy();
      emit(signal);
      await expect.poll(() => [idle.server.listening, service.server.listening]).toEqual([false, false]);
      await expect.poll(() => logged().filter(({ msg }) => msg === "stopped")).toHaveLength(1);
      expect(exit).not.toHaveBeenCalled();
      end();
      expect(await response).toBe(200);
      await expect.poll(() => exit.mock.calls).toEqual([[]]);
    },
  );

  it("ends the process immediately if it is repeated", async () => {
    const { response, end } = await busy();
    emit("SIGTERM");
    expect(exit).not.toHaveBeenCalled();
    emit("SIGINT");
    expect(exit.mock.calls).toEqual([[1]]);
    end();
    expect(await response).toBe(200);
  });

  it("does not end a worker if it is repeated, because its primary does", async () => {
    const service = await create();
    stopOnSignals(service, { isWorker: true });
    emit("SIGTERM");
    emit("SIGTERM");
    await expect.poll(() => exit.mock.calls).toEqual([[]]);
  });

  it("ends the process with 1 if the service cannot be closed", async () => {
    const service = await create();
    stopOnSignals({ ...service, close: () => Promise.reject(new Error("stuck")) }, { isWorker: false });
    emit("SIGTERM");
    await expect.poll(() => exit.mock.calls).toEqual([[1]]);
    expect(logged()).toContainEqual(
      expect.objectContaining({
        msg: "the service did not stop cleanly",
        err: expect.objectContaining({ message: "stuck" }),
      }),
    );
  });
});

describe("C66 an uncaught exception", () => {
  const fatal = () => logged().filter(({ level }) => level === 60);

  it("is logged once, and ends the process with 1 when every service has stopped", async () => {
    const listening: number[] = [];
    exit.mockImplementation((() => listening.push(process.listenerCount("uncaughtException"))) as never);
    const services = [await init(), await init()];
    emit("uncaughtException", new Error("lost"));
    emit("uncaughtException", new Error("second"));
    expect(fatal()).toMatchObject([{ msg: "uncaught exception", err: { message: "lost" } }]);
    expect(process.exitCode).toBe(1);
    await expect.poll(() => listening).toEqual([0]);
    expect(services.map(({ server }) => server.listening)).toEqual([false, false]);
  });

  it("ends the process if the service cannot be closed", async () => {
    const service = await create();
    endOnException({ ...service, close: () => Promise.reject(new Error("stuck")) });
    emit("uncaughtException", new Error("lost"));
    await expect.poll(() => exit.mock.calls).toEqual([[]]);
    expect(logged()).toContainEqual(expect.objectContaining({ msg: "the service did not stop cleanly" }));
  });

  it("aborts requests that take longer than two seconds", async () => {
    const { response } = await busy();
    emit("uncaughtException", new Error("lost"));
    await expect.poll(() => exit.mock.calls).toEqual([[]]);
    expect(await response).toBe("aborted");
  });
});
