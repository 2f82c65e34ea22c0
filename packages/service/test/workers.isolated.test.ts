import cluster from "node:cluster";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { openWorkers } from "../src/lifecycle/open-workers.js";
import { loadSettings } from "./load-settings.js";
import { alone, makeStarter } from "./start.js";

const { init, closeAll } = makeStarter();
const { argv } = process;
// A primary would run the test runner again.
beforeEach(() => {
  process.argv = argv.slice(0, 1);
});
afterEach(async () => {
  process.argv = argv;
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  await closeAll();
});

describe("C78 workers", () => {
  it("prevent startup of a program that is not a file, and of a worker of another cluster", async () => {
    await expect(init({ workers: 2 })).rejects.toThrow(
      "workers: workers run the program's file again, and this program is not a file: save it to a file, or remove workers.",
    );
    Object.assign(cluster, { isWorker: true });
    await expect(init({ workers: 2 })).rejects.toThrow(
      "workers: this process is already a worker of another cluster: start it without that cluster, or remove workers.",
    );
    Object.assign(cluster, { isWorker: false });
  });

  it("are not started if the configuration has errors, or by service dev", async () => {
    await expect(init({ workers: 2, port: -1 })).rejects.toThrow(/\(1 error\):\n {2}- port /);
    vi.stubEnv("SERVICEKIT_DEV", "1");
    expect(await openWorkers({ settings: await loadSettings({ workers: 2 }, alone), issues: [] })).toBeUndefined();
  });
});

it("reports to service dev where it listens", async () => {
  const sent: unknown[] = [];
  const send = process.send?.bind(process);
  vi.spyOn(process as { send: (...args: [message: object]) => boolean }, "send").mockImplementation((...args) =>
    // Other messages are those of the test runner.
    "servicekit" in args[0] ? sent.push(args[0]) > 0 : send?.(...args) === true,
  );
  await init();
  expect(sent).toEqual([]);
  vi.stubEnv("SERVICEKIT_DEV", "1");
  const { url } = await init({ studio: true });
  expect(sent).toEqual([
    expect.objectContaining({ servicekit: "listening", url, nodeEnv: "test", studio: `${url}/api/studio` }),
  ]);
});
