import fs from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readCurl } from "./read-curl.js";
import { type Shop, startShop } from "./shop.js";

const readme = fs.readFileSync(path.join(import.meta.dirname, "..", "README.md"), "utf8");
/** Each line with the status that its comment names, or any good one. */
const lines = [...readme.matchAll(/^(curl .*?)(?: +# (.*))?$/gm)].map(
  ([, line = "", comment = ""]) => [line, Number(/^\d{3}|\b\d{3}(?= unless)/.exec(comment)?.[0] ?? 200)] as const,
);

describe("the tour of the README", () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await startShop();
  });
  afterAll(() => shop?.close());

  it.each(lines)("%s", async (line, status) => {
    const { method, path: target, body } = readCurl(line);
    const answer = await shop.call<{ data?: unknown[] }>(method, target, body);
    if (status !== 200) return expect(answer.status).toBe(status);
    expect([200, 201]).toContain(answer.status);
    // A list that finds nothing would show nothing.
    if (Array.isArray(answer.body.data)) expect(answer.body.data.length).toBeGreaterThan(0);
  });

  it("has as many stops as before", () => {
    expect(lines.length).toBe(19);
  });
});
