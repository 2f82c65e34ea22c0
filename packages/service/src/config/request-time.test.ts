import { expect, it } from "vitest";
import { requestTime, warnOfServerTimeout } from "./request-time.js";
import type { ServiceSettings } from "./settings.js";

function read(server: { timeout?: number; requestTimeout?: number }, request?: number) {
  const warnings: string[] = [];
  const times = { timeout: 0, requestTimeout: 0, ...server };
  const settings = {
    timeouts: { request: request ?? 30_000 } as ServiceSettings["timeouts"],
    isRequestTimeConfigured: request !== undefined,
  };
  warnOfServerTimeout(times, settings, { warn: (message: string) => void warnings.push(message) } as never);
  return { time: requestTime(times, settings), warnings };
}

it("uses the greater of the server's own limits and the default if timeouts.request is not set, without a warning", () => {
  expect(read({})).toEqual({ time: 30_000, warnings: [] });
  expect(read({ timeout: 120_000 })).toEqual({ time: 120_000, warnings: [] });
  expect(read({ requestTimeout: 120_000 })).toEqual({ time: 120_000, warnings: [] });
  expect(read({ timeout: 60_000, requestTimeout: 90_000 }).time).toBe(90_000);
  expect(read({ timeout: 5000, requestTimeout: 20_000 })).toEqual({ time: 30_000, warnings: [] });
});

it("uses timeouts.request if it is set, and logs its name", () => {
  expect(read({ timeout: 120_000 }, 1000)).toEqual({
    time: 1000,
    warnings: [expect.stringContaining("the time limit of requests is timeouts.request: 1000 ms.")],
  });
  expect(read({ timeout: 500 }, 1000)).toEqual({ time: 1000, warnings: [] });
});
