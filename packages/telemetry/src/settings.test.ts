import { describe, expect, it } from "vitest";
import { metricsSchema, readMetricsSettings } from "./settings.js";

describe("C69 the block metrics", () => {
  it.each([
    [{ port: 9090 }],
    [{ port: 0 }],
    [{ port: 65_535 }],
    [{ path: "/metrics", auth: true }],
    [{ path: "/internal/metrics.txt", auth: false }],
    [{ path: "/metrics", auth: ["OPERATOR"] }],
  ])("C69 accepts %o", (block) => {
    expect(metricsSchema.safeParse(block).error).toBeUndefined();
  });

  it.each([
    [{}, ""],
    [{ port: 9090, path: "/metrics", auth: true }, ""],
    [{ path: "/metrics" }, "auth"],
    [{ port: 9090, auth: true }, "auth"],
    [{ port: -1 }, "port"],
    [{ port: 65_536 }, "port"],
    [{ path: "metrics", auth: true }, "path"],
    [{ path: "/metrics/", auth: true }, "path"],
  ])("C69 rejects %o", (block, path) => {
    expect(metricsSchema.safeParse(block).error?.issues.map((issue) => issue.path.join("."))).toEqual([path]);
  });

  it("C69 without a port or a path turns metrics off", () => {
    expect([readMetricsSettings(undefined), readMetricsSettings({})]).toEqual([undefined, undefined]);
  });

  it("C69 becomes a port, or a path with its access rule", () => {
    expect(readMetricsSettings({ port: 0 })).toEqual({ port: 0 });
    expect(readMetricsSettings({ path: "/m" })).toEqual({ path: "/m", authentication: true });
    expect(readMetricsSettings({ path: "/m", auth: false })).toEqual({ path: "/m", authentication: false });
    expect(readMetricsSettings({ path: "/m", auth: ["A"] })).toEqual({
      path: "/m",
      authentication: { resource: "metrics", action: "View", rule: ["A"] },
    });
  });
});
