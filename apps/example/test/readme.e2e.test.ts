import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pixel } from "./pixel.js";
import { readCurl } from "./read-curl.js";
import { type Shop, startShop } from "./shop.js";

/** Each line of a page with the status in its comment; without one, any successful status. */
const linesOf = (page: string) => {
  const text = fs.readFileSync(path.join(import.meta.dirname, "..", page), "utf8");
  return [...text.matchAll(/^(curl .*?)(?: +# (.*))?$/gm)].map(
    ([, line = "", comment = ""]) => [line, Number(/^\d{3}|\b\d{3}(?= unless)/.exec(comment)?.[0] ?? 200)] as const,
  );
};
const readme = linesOf("README.md");
const queries = linesOf("../../docs/reference/query-language.md");
const guide = linesOf("../../docs/guides/filtering-and-pagination.md");
const aggregates = linesOf("../../docs/guides/aggregates.md");

const uploads = fs.mkdtempSync(path.join(os.tmpdir(), "shop-tour-"));

async function sendForm(url: string, form: readonly string[]): Promise<number> {
  const body = new FormData();
  for (const field of form) {
    const [name = "", value = ""] = field.split("=", 2);
    if (value.startsWith("@")) body.append(name, new Blob([new Uint8Array(pixel)]), value.slice(1));
    else body.append(name, value);
  }
  return (await fetch(url, { method: "POST", body })).status;
}

describe("the requests of the README, the query language and the guides to filters and aggregates", () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await startShop({ fileUpload: { baseUploadDir: uploads } });
  });
  afterAll(async () => {
    await shop?.close();
    fs.rmSync(uploads, { recursive: true, force: true });
  });

  it.each([...readme, ...queries, ...guide, ...aggregates])("%s", async (line, status) => {
    const { method, path: target, body, form } = readCurl(line);
    if (form.length > 0) return expect(await sendForm(`${shop.url}${target}`, form)).toBe(201);
    const response = await shop.call<{ data?: unknown[] }>(method, target, body);
    if (status !== 200) return expect(response.status).toBe(status);
    expect([200, 201]).toContain(response.status);
    // An empty list would demonstrate nothing.
    if (Array.isArray(response.body.data)) expect(response.body.data.length).toBeGreaterThan(0);
  });

  it("finds every request of these pages", () => {
    expect([readme.length, queries.length, guide.length, aggregates.length]).toEqual([20, 12, 20, 8]);
  });
});
