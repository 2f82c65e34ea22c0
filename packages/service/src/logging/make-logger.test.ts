import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { pino } from "pino";
import { describe, expect, it } from "vitest";
import { makeLogger, openLogger } from "./make-logger.js";

describe("C69 the built-in logger", () => {
  const written = async (nodeEnv: string): Promise<string> => {
    const destination = new PassThrough();
    const logger = await makeLogger(nodeEnv, "warn", destination);
    logger.info("of a lower level");
    logger.warn({ rows: 2 }, "shown");
    destination.end();
    return text(destination);
  };

  it.each(["production", "test"])("writes one JSON line for each event in %s", async (nodeEnv) => {
    const lines = (await written(nodeEnv)).trim().split("\n");
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({ level: 40, rows: 2, msg: "shown" }),
    ]);
  });

  it("writes readable lines in development", async () => {
    expect(await written("development")).toMatch(/WARN.*: shown\n {4}rows: 2\n$/);
  });
});

it("C78 logs the number of the worker in each line, if there are several", async () => {
  const destination = new PassThrough();
  const settings = { logger: pino(destination), nodeEnv: "test", logLevel: "info" } as never;
  (await openLogger(settings, { worker: 2 } as never)).info("of a worker");
  (await openLogger(settings, undefined)).info("of a process");
  destination.end();
  const lines = (await text(destination)).trim().split("\n");
  expect(lines.map((line) => JSON.parse(line)).map(({ worker, msg }) => [worker, msg])).toEqual([
    [2, "of a worker"],
    [undefined, "of a process"],
  ]);
});
