import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import type { ServiceInitConfig } from "@servicekit/service";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { oneOf } from "../../../../scripts/test/slow-share.js";
import {
  type AccountDatabase,
  type AccountShop,
  createAccountDatabase,
  startAccounts,
} from "../accounts/account-shop.js";
import { noise } from "../noise.js";
import { pixel } from "../pixel.js";

let database: AccountDatabase;
beforeAll(async () => {
  database = await createAccountDatabase();
});
afterAll(() => database?.drop());

const mostExpensive = "images?width=3000&height=3000&format=avif&quality=100";

/** Starts a shop with a separate upload folder; `files` are all files in it, including hidden ones. */
async function startUploads(accounts: "static" | "dynamic", config: ServiceInitConfig = {}) {
  const folder = mkdtempSync(path.join(tmpdir(), "hardening-uploads-"));
  const shop = await startAccounts({
    database,
    accounts,
    config: { ...config, fileUpload: { baseUploadDir: folder, ...config.fileUpload } },
  });
  const headers = async (username: string | undefined): Promise<Record<string, string>> =>
    username === undefined ? {} : { authorization: `Bearer ${await tokenOf(shop, username)}` };
  return {
    shop,
    files: (): string[] =>
      readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ name }) => name),
    async send(username: string | undefined, target: string, content: Buffer, name = "a.png") {
      const body = new FormData();
      body.append("file", new Blob([new Uint8Array(content)]), name);
      const init = { method: "POST", body, headers: await headers(username) };
      const response = await fetch(`${shop.url}/api/uploads/${target}`, init);
      // biome-ignore lint/suspicious/noExplicitAny: a test looks into bodies of every shape
      return { status: response.status, headers: response.headers, body: (await response.json()) as any };
    },
    async call(username: string | undefined, method: string, pathname: string) {
      const response = await fetch(shop.url + pathname, { method, headers: await headers(username) });
      return { status: response.status, content: Buffer.from(await response.arrayBuffer()) };
    },
    async close(): Promise<void> {
      await shop.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const tokens = new WeakMap<AccountShop, Map<string, Promise<string>>>();
function tokenOf(shop: AccountShop, username: string): Promise<string> {
  const known = tokens.get(shop) ?? new Map<string, Promise<string>>();
  tokens.set(shop, known);
  const token = known.get(username) ?? shop.tokenOf(username);
  known.set(username, token);
  token.catch(() => known.delete(username));
  return token;
}

type Uploads = Awaited<ReturnType<typeof startUploads>>;

/** Sends a request whose response is compressed in the thread pool, on a separate connection. */
const gzipped = (url: string): Promise<string | undefined> =>
  new Promise((resolve, reject) => {
    const requested = request(`${url}/api/products?limit=100`, { headers: { "accept-encoding": "gzip" } }, (reply) => {
      reply.resume();
      reply.on("end", () => resolve(reply.headers["content-encoding"]));
    });
    requested.on("error", reject).end();
  });

describe.each(oneOf(["static", "dynamic"] as const))("image conversions, with %s accounts", (accounts) => {
  describe("that the configuration does not allow for clients", () => {
    let uploads: Uploads;
    beforeAll(async () => {
      uploads = await startUploads(accounts);
    });
    afterAll(() => uploads?.close());

    it("C59 four of the most expensive are 400 that name the parameters, and other requests are served", async () => {
      const stored = await uploads.send("root", "images", pixel);
      expect(stored.status).toBe(201);
      const before = uploads.files();
      const requested = [1, 2, 3, 4].map(() => uploads.send("root", mostExpensive, pixel));
      expect(await gzipped(uploads.shop.url)).toBe("gzip");
      expect(await uploads.call(undefined, "GET", stored.body.data.pathname)).toEqual({ status: 200, content: pixel });
      for (const { status, body } of await Promise.all(requested)) {
        expect([status, body.code]).toEqual([400, "InvalidImageOptions"]);
        expect(body.errors.map((error: { path: string }) => error.path)).toEqual([
          "/width",
          "/height",
          "/format",
          "/quality",
        ]);
      }
      expect(uploads.files()).toEqual(before);
    });

    it.each([
      ["?width=100", "/width"],
      ["?wdith=100", "/wdith"],
      ["?image[width]=100", "/image"],
      ["?constructor=1", "/constructor"],
    ])("images%s is 400 at %s", async (query, place) => {
      const { status, body } = await uploads.send("root", `images${query}`, pixel);
      expect([status, body.code, body.errors[0].in, body.errors[0].path]).toEqual([
        400,
        "InvalidImageOptions",
        "query",
        place,
      ]);
    });

    it.each([
      [undefined, 401],
      ["ada", 403],
    ] as const)("C58 %s gets %i before the options are validated", async (username, status) => {
      expect((await uploads.send(username, mostExpensive, pixel)).status).toBe(status);
    });
  });

  describe("that the configuration allows", () => {
    let uploads: Uploads;
    beforeAll(async () => {
      const imageQuery = { maxWidth: 3000, maxHeight: 3000, formats: ["avif", "webp"] as const };
      uploads = await startUploads(accounts, { fileUpload: { imageQuery } });
    });
    afterAll(() => uploads?.close());

    it("C37 does not enlarge: four of the most expensive of one pixel are small and fast", async () => {
      const responses = await Promise.all([1, 2, 3, 4].map(() => uploads.send("root", mostExpensive, pixel)));
      for (const { status, body } of responses) {
        expect([status, body.data?.mimeType]).toEqual([201, "image/avif"]);
        expect(body.data.size).toBeLessThan(2000);
      }
    });

    it.each([
      ["width=3001", "/width"],
      ["height=3001", "/height"],
      ["format=png", "/format"],
      ["format=tiff", "/format"],
      ["quality=101", "/quality"],
      ["effort=9", "/effort"],
    ])("%s is out of the configured range: 400 at %s", async (query, place) => {
      const { status, body } = await uploads.send("root", `images?${query}`, pixel);
      expect([status, body.code, body.errors[0].path]).toEqual([400, "InvalidImageOptions", place]);
    });

    it("C59 other requests are served while conversions wait", { timeout: 300_000 }, async () => {
      const expensive = noise(1600, 1600);
      const stored = await uploads.send("root", "images", pixel);
      let done = 0;
      const requested = [1, 2, 3, 4].map(() =>
        uploads.send("root", mostExpensive, expensive).finally(() => {
          done++;
        }),
      );
      for (let round = 0; round < 3; round++) {
        expect(await gzipped(uploads.shop.url)).toBe("gzip");
        const got = await uploads.call(undefined, "GET", stored.body.data.pathname);
        expect(got).toEqual({ status: 200, content: pixel });
      }
      expect(done).toBeLessThan(4);
      expect((await Promise.all(requested)).map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    });

    it("C59 rejects with 503 and Retry-After requests that do not fit into the queue, and stores nothing of it", {
      timeout: 300_000,
    }, async () => {
      const before = uploads.files().length;
      const expensive = noise(500, 500);
      const responses = await Promise.all(
        Array.from({ length: 20 }, () => uploads.send("root", mostExpensive, expensive)),
      );
      const rejected = responses.filter(({ status }) => status === 503);
      expect(rejected.length).toBeGreaterThan(0);
      for (const { headers, body } of rejected) {
        expect([body.code, headers.get("retry-after")]).toEqual(["ConversionsBusy", "5"]);
      }
      const taken = responses.filter(({ status }) => status === 201);
      expect(taken.length + rejected.length).toBe(20);
      // Each has a file next to it with its uploader.
      await expect.poll(() => uploads.files().length).toBe(before + 2 * taken.length);
    });
  });

  it("C35 a request that timed out leaves no file, now or later", { timeout: 300_000 }, async () => {
    const imageQuery = { maxWidth: 3000, maxHeight: 3000, formats: ["avif"] as const };
    const uploads = await startUploads(accounts, { fileUpload: { imageQuery }, timeouts: { request: 1500 } });
    try {
      // Such a short time may be too short for signing in as well.
      const signsIn = () => tokenOf(uploads.shop, "root").then(Boolean, () => false);
      await expect.poll(signsIn, { timeout: 60_000 }).toBe(true);
      const expensive = noise(2200, 2200);
      // As many as run and wait concurrently: a fast machine may finish the first ones in time.
      const sent = Array.from({ length: 7 }, () => uploads.send("root", mostExpensive, expensive));
      const statuses = (await Promise.all(sent)).map(({ status }) => status);
      expect(statuses.filter((status) => status !== 201 && status !== 504)).toEqual([]);
      expect(statuses).toContain(504);
      const taken = statuses.filter((status) => status === 201).length;
      // The next conversion ends after those that ran on.
      await expect
        .poll(async () => (await uploads.send("root", "images?width=1", pixel)).status, {
          timeout: 300_000,
        })
        .toBe(201);
      // Each stored file has one next to it with its uploader.
      await expect.poll(() => uploads.files().length).toBe(2 * (taken + 1));
    } finally {
      await uploads.close();
    }
  });
});

describe.each(oneOf(["static", "dynamic"] as const))("files of others, with %s accounts", (accounts) => {
  let uploads: Uploads;
  beforeAll(async () => {
    const auth = { uploadFile: true, deleteFile: true };
    uploads = await startUploads(accounts, { models: { "file-upload": { auth } } });
  });
  afterAll(() => uploads?.close());

  it("signed-in users delete their own files, and not those of others", async () => {
    const { status, body } = await uploads.send("ada", "images", pixel);
    expect(status).toBe(201);
    const { pathname } = body.data;
    const statusOf = async (username: string | undefined, target = pathname) =>
      (await uploads.call(username, "DELETE", target)).status;
    const absent = pathname.replace(/[0-9a-f]{32}/, "0".repeat(32));
    expect([await statusOf(undefined), await statusOf("ben"), await statusOf("edda")]).toEqual([401, 404, 404]);
    expect([await statusOf("ben", absent), (await uploads.call(undefined, "GET", pathname)).status]).toEqual([
      404, 200,
    ]);
    expect([await statusOf("ada"), await statusOf("ada")]).toEqual([204, 404]);
    const second = (await uploads.send("ada", "images", pixel)).body.data.pathname;
    expect(await statusOf("root", second)).toBe(204);
    expect(uploads.files()).toEqual([]);
  });
});
