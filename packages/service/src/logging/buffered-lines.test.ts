import { pino } from "pino";
import { afterEach, describe, expect, it, vi } from "vitest";
import { bufferLines, makeBufferedLines, requestMessage } from "./buffered-lines.js";

afterEach(() => {
  vi.useRealTimers();
});

function open() {
  const written: string[] = [];
  const out = {
    write: (bytes: Buffer) => written.push(bytes.toString()),
    flushSync: () => undefined,
    flush: () => undefined,
  };
  const logger = pino({ level: "trace" }, makeBufferedLines(out as never));
  return { logger, lines: () => written.join("").split("\n").slice(0, -1), writes: () => written.length };
}

describe("C42 lines of requests", () => {
  it("are written immediately until buffering starts", () => {
    const { logger, lines } = open();
    logger.info(requestMessage);
    expect(lines()).toHaveLength(1);
  });

  it("wait for at most a second", () => {
    vi.useFakeTimers();
    const { logger, lines, writes } = open();
    const letGo = bufferLines(logger);
    for (let count = 0; count < 3; count++) logger.child({ count }).info({ status: 200 }, requestMessage);
    expect(lines()).toEqual([]);
    vi.advanceTimersByTime(1_000);
    expect([lines().length, writes()]).toEqual([3, 1]);
    letGo();
  });

  it("are written before the next line of another kind", () => {
    const { logger, lines } = open();
    const letGo = bufferLines(logger);
    for (const report of ["info", "warn", "error", "fatal"] as const) {
      logger.info({ status: 200 }, requestMessage);
      logger[report](report === "info" ? "something else" : requestMessage);
    }
    expect(lines().map((line) => JSON.parse(line).level)).toEqual([30, 30, 30, 40, 30, 50, 30, 60]);
    letGo();
  });

  it("are not buffered beyond 64 KB, nor after the end", () => {
    const { logger, lines, writes } = open();
    const before = process.listenerCount("exit");
    const letGo = bufferLines(logger);
    for (let count = 0; count < 800; count++) logger.info({ text: "é€😀".repeat(50) }, requestMessage);
    expect(writes()).toBeGreaterThan(2);
    expect(writes()).toBeLessThan(20);
    letGo();
    expect(lines().map((line) => JSON.parse(line).text)).toEqual(Array(800).fill("é€😀".repeat(50)));
    logger.info(requestMessage);
    expect([lines().length, process.listenerCount("exit")]).toEqual([801, before]);
  });

  it("are complete and in order if one is longer than the buffer", () => {
    const { logger, lines } = open();
    const letGo = bufferLines(logger);
    const texts = ["a", "é".repeat(70_000), "b", "x".repeat(30_000), "c"];
    for (const text of texts) logger.info({ text }, requestMessage);
    letGo();
    expect(lines().map((line) => JSON.parse(line).text)).toEqual(texts);
  });

  it("of another logger are not affected", () => {
    const written: string[] = [];
    const logger = pino({}, { write: (text: string) => void written.push(text) });
    bufferLines(logger)();
    logger.info(requestMessage);
    expect(written).toHaveLength(1);
  });
});
