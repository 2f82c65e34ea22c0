import fs from "node:fs";
import net, { type AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { makeClient } from "@servicekit/client";
import { type Progress, withProgress } from "@servicekit/client/progress";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import type { Api } from "../src/generated/service/api.js";
import { pixel } from "./pixel.js";
import { type Shop, startShop } from "./shop.js";

const uploads = fs.mkdtempSync(path.join(os.tmpdir(), "client-retries-"));
let shop: Shop;
beforeAll(async () => {
  shop = await startShop({ fileUpload: { baseUploadDir: uploads } });
});
afterAll(async () => {
  await shop?.close();
  fs.rmSync(uploads, { recursive: true, force: true });
});

/** A connection to the shop that breaks once while the response to a write is sent. */
async function breakOnce(url: string) {
  const { hostname, port } = new URL(url);
  let isBroken = false;
  const server = net.createServer((from) => {
    const to = net.connect(Number(port), hostname);
    const end = (): void => {
      from.destroy();
      to.destroy();
    };
    from.on("error", end).on("close", end);
    to.on("error", end).on("close", end);
    let isWrite = false;
    from.on("data", (chunk) => {
      isWrite ||= chunk.toString("latin1").startsWith("POST");
      to.write(chunk);
    });
    to.on("data", (chunk) => {
      if (isWrite && !isBroken) {
        isBroken = true;
        end();
      } else from.write(chunk);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, isBroken: () => isBroken };
}

it("C74 C49 retries a write whose response was lost with its key, and it is executed once", async () => {
  const way = await breakOnce(shop.url);
  const client = makeClient<Api>({ baseUrl: way.url });
  const { data } = await client.tags.create({ name: "lost and found" }, { idempotencyKey: true });
  expect([way.isBroken(), data.name]).toEqual([true, "lost and found"]);
  expect(await shop.value("SELECT count(*) FROM tags WHERE name = 'lost and found'")).toBe("1");
  const other = await breakOnce(shop.url);
  const without = makeClient<Api>({ baseUrl: other.url }).tags.create({ name: "lost" });
  await expect(without).rejects.toThrow(TypeError);
  expect(await shop.value("SELECT count(*) FROM tags WHERE name = 'lost'")).toBe("1");
});

it("C74 reports the progress of uploads outside a page too", async () => {
  const reported: Progress[] = [];
  const file = new File([pixel, new Uint8Array(300_000)], "a.png", { type: "image/png" });
  const fetch = withProgress((progress) => reported.push(progress));
  const { data } = await makeClient<Api>({ baseUrl: shop.url }).upload("images", [file], { fetch });
  expect(data[0]?.size).toBe(pixel.length + 300_000);
  const last = reported.at(-1);
  expect(last?.sent).toBe(last?.total);
  expect(last?.total).toBeGreaterThan(300_000);
});
