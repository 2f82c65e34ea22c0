import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { pixel as png } from "./pixel.js";
import { type Shop, startShop } from "./shop.js";

const folder = mkdtempSync(path.join(tmpdir(), "shop-uploads-"));
const stored = (): string[] =>
  readdirSync(folder, { recursive: true })
    .map(String)
    .filter((name) => name.endsWith(".png"));

let shop: Shop;
beforeAll(async () => {
  shop = await startShop({ fileUpload: { baseUploadDir: folder } });
});
afterAll(async () => {
  await shop?.close();
  rmSync(folder, { recursive: true, force: true });
});

async function send(
  method: string,
  target: string,
  fields: Record<string, string>,
  file?: [name: string, content: Buffer],
) {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) body.append(name, value);
  if (file !== undefined) body.append("logo", new Blob([new Uint8Array(file[1])]), file[0]);
  const response = await fetch(`${shop.url}/api/${target}`, { method, body });
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into bodies of every shape
  return { status: response.status, body: (await response.json()) as any };
}

it("C53 creates a supplier with its logo, which is served, and changes both", async () => {
  const fields = { name: "Rope & Co", country: "SE", reliability: "0.75", isActive: "false", "phones[]": "+46 1" };
  const { status, body } = await send("POST", "suppliers", fields, ["rope.png", png]);
  expect(body.data).toMatchObject({
    name: "Rope & Co",
    reliability: 0.75,
    isActive: false,
    phones: ["+46 1"],
    logo: expect.stringMatching(/^\/api\/uploads\/images\/[0-9a-f]{32}\.png$/),
  });
  expect(status).toBe(201);
  const picture = await fetch(shop.url + body.data.logo);
  expect([picture.status, picture.headers.get("content-type")]).toEqual([200, "image/png"]);
  expect(Buffer.from(await picture.arrayBuffer())).toEqual(png);
  const changed = await send("PATCH", `suppliers/${body.data.id}`, { isActive: "true" }, ["new.png", png]);
  expect(changed.body.data).toMatchObject({ isActive: true, logo: expect.not.stringContaining(body.data.logo) });
  expect(await shop.value(`SELECT logo FROM suppliers WHERE name = 'Rope & Co'`)).toBe(changed.body.data.logo);
});

it("C35 leaves no file of a rejected supplier", async () => {
  const before = stored();
  for (const [fields, name, status, code] of [
    [{ name: "Rope & Co", country: "SE" }, "rope.png", 409, "UniqueConstraint"],
    [{ name: "New" }, "new.png", 400, "ValidationError"],
    [{ name: "New", country: "SE" }, "new.pdf", 415, "FileContentMismatch"],
  ] as const) {
    const reply = await send("POST", "suppliers", fields, [name, png]);
    expect([reply.status, reply.body.code]).toEqual([status, code]);
  }
  await expect.poll(stored).toEqual(before);
});
