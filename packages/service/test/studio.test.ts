import fs from "node:fs";
import path from "node:path";
import { pino } from "pino";
import request from "supertest";
import { describe, expect, it } from "vitest";
import service from "../src/index.js";

const isBuilt = fs.existsSync(path.join(import.meta.dirname, "..", "..", "studio", "dist", "page", "manifest.json"));

/** The response at the path of the studio. */
async function statusOf(nodeEnv: string, config: object = {}, environment: object = {}): Promise<number> {
  const quiet = { logger: pino({ level: "silent" }) };
  const created = await service.create(
    { ...quiet, ...config },
    { directory: import.meta.dirname, environment: { NODE_ENV: nodeEnv, ...environment }, argv: [] },
  );
  const { status } = await request(created.app).get("/api/studio");
  await created.close();
  return status;
}

describe("C76 the studio of a service", () => {
  it("is off in production and in tests by default", async () => {
    expect(await statusOf("production")).toBe(404);
    expect(await statusOf("test")).toBe(404);
    expect(await statusOf("development", { studio: false })).toBe(404);
    expect(await statusOf("development", { routers: { disable: ["studio"] } })).toBe(404);
  });

  it.skipIf(!isBuilt)("is on in development, and if the setting enables it", async () => {
    expect(await statusOf("development")).toBe(200);
    expect(await statusOf("production", { studio: true })).toBe(200);
    expect(await statusOf("production", {}, { SERVICE_STUDIO: "true" })).toBe(200);
  });
});
