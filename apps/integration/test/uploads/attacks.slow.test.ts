import { readdirSync } from "node:fs";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { ServiceRouter } from "@servicekit/service";
import { afterEach, describe, expect, it } from "vitest";
import { form, png } from "../../../../packages/uploads/test/samples.js";
import { until } from "../../../../packages/uploads/test/serve.js";
import { openS3 } from "../../../../packages/uploads/test/storages.js";
import { makeUploadStarter, post, send } from "./serve-uploads.js";

const { serve, logged, closeAll } = makeUploadStarter();
afterEach(closeAll);

const descriptors = (): number => readdirSync("/proc/self/fd").length;

const head = (name: string, filename?: string): Buffer =>
  Buffer.from(
    `--x\r\nContent-Disposition: form-data; name="${name}"${filename === undefined ? "" : `; filename="${filename}"`}\r\n\r\n`,
  );
const line = Buffer.from("\r\n");
const part = (name: string, content: Buffer | string, filename?: string): Buffer =>
  Buffer.concat([head(name, filename), Buffer.from(content), line]);
const complete = (...parts: Buffer[]): Buffer => Buffer.concat([...parts, Buffer.from("--x--\r\n")]);

/** Polls the liveness of the service every 50 ms, and returns the number of successes. */
function watchLife(url: string): () => Promise<number> {
  let responses = 0;
  let isOver = false;
  const watch = (async () => {
    while (!isOver) {
      const { status } = await fetch(`${url}/api/health/live`);
      if (status !== 200) throw new Error(`live returned ${status}`);
      responses++;
      await sleep(50);
    }
  })();
  return async () => {
    isOver = true;
    await watch;
    return responses;
  };
}

function things() {
  const router = ServiceRouter();
  const fields = [{ name: "a", maxCount: 1 }, { name: "b[c]" }];
  router.post(
    { path: "/api/things", experimental: { uploads: { type: "fields", fields, deleteOnError: true } } },
    (request, response) => {
      response.status(201).json({ data: request.body });
    },
  );
  return [router];
}

describe("aborted uploads", () => {
  it("C35 200 at random points leave no file and no descriptor, and the service stays alive", {
    timeout: 300_000,
  }, async () => {
    const served = await serve({ use: things() });
    const stopWatch = watchLife(served.url);
    const body = complete(
      part("a", Buffer.alloc(5 * 1024 * 1024, 1), "f.bin"),
      part("b[c]", png, "f.png"),
      part("n", "1"),
    );
    const good = await post(`${served.url}/api/things`, form(["a", png, "a.png"]));
    expect(good.status).toBe(201);
    const stored = served.files();
    await sleep(100);
    const idle = descriptors();
    for (let round = 0; round < 200; round++) {
      const socket = connect(served.port, "127.0.0.1");
      socket.on("error", () => undefined);
      const path = round % 3 === 0 ? "/api/uploads/files" : "/api/things";
      socket.write(
        `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: ${body.length}\r\n\r\n`,
      );
      const end = round % 4 === 0 ? body.length - 1 - round : Math.floor((((round * 7919) % 200) / 200) * body.length);
      socket.write(body.subarray(0, end));
      await sleep((round * 13) % 30);
      if (round % 2 === 0) socket.destroy();
      else socket.resetAndDestroy();
    }
    await until(() => served.files().length === stored.length, "no file of a cut upload stays");
    expect(served.files()).toEqual(stored);
    await until(() => descriptors() <= idle + 5, "the descriptors are closed");
    expect(await stopWatch()).toBeGreaterThan(1);
    expect(logged().filter(({ level }) => Number(level) >= 50)).toEqual([]);
  });

  it("C36 S3 by configuration: stored, served, deleted; an aborted upload leaves no object", {
    timeout: 300_000,
  }, async () => {
    const store = await openS3();
    // With a separate log, because cleanup may still run when the store is closed.
    const own = makeUploadStarter();
    try {
      const { url, port, directory } = await own.serve({ fileUpload: store.config as never, use: things() });
      const { status, body } = await post(`${url}/api/uploads/images`, form(["images", png, "a.png"]));
      expect(status).toBe(201);
      expect(store.stored(directory)).toHaveLength(1);
      expect(Buffer.from(await (await fetch(body.data.url)).arrayBuffer())).toEqual(png);
      const made = await post(`${url}/api/things`, form(["a", png, "a.png"]));
      expect((await fetch(url + made.body.data.a)).status).toBe(200);
      for (let round = 0; round < 10; round++) {
        const socket = connect(port, "127.0.0.1");
        socket.on("error", () => undefined);
        socket.write(
          "POST /api/things HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: 9000000\r\n\r\n",
        );
        socket.write(Buffer.concat([head("a", "f.bin"), Buffer.alloc(round * 800_000, 1)]));
        await sleep(30);
        socket.destroy();
      }
      await until(() => store.stored(directory).length === 2, "two objects stay");
      expect((await fetch(body.data.url, { method: "DELETE" })).status).toBe(204);
      expect((await fetch(body.data.url)).status).toBe(404);
      expect(own.logged().filter(({ level }) => Number(level) >= 50)).toEqual([]);
    } finally {
      await own.closeAll();
      await store.close();
    }
  });
});

describe("hostile forms", () => {
  const raw = (url: string, body: Buffer | string, type = "multipart/form-data; boundary=x") =>
    send(url, { method: "POST", headers: { "content-type": type }, body: new Uint8Array(Buffer.from(body)) });

  it("attacks 23, 24 get 4xx, store nothing, and never stop the service", {
    timeout: 300_000,
  }, async () => {
    const { url, files } = await serve({ use: things() });
    const stopWatch = watchLife(url);
    const file = part("a", png, "a.png");
    const rows: readonly (readonly [string, Buffer | string, string?])[] = [
      ["a huge index freezes multer", complete(file, part("k[4294967294]", "1"), part("k[x]", "2"))],
      ["an index over the limit", complete(file, part("k[99999999]", "1"))],
      ["deep nesting", complete(file, part(`k${"[a]".repeat(500)}`, "1"))],
      ["__proto__", complete(file, part("__proto__[isAdmin]", "1"))],
      ["a nested __proto__", complete(file, part("k[__proto__][x]", "1"))],
      ["constructor", complete(file, part("constructor[prototype][x]", "1"))],
      ["a file in __proto__", complete(part("__proto__", png, "a.png"))],
      ["a name without an end", complete(file, part("k[", "1"))],
      ["an empty name", complete(file, part("", "1"))],
      ["a long name", complete(file, part("k".repeat(5000), "1"))],
      ["a name twice, as text and as object", complete(file, part("k", "1"), part("k[b]", "2"))],
      ["text where the file goes", complete(file, part("a", "1"))],
      ["201 fields", complete(file, ...Array.from({ length: 201 }, (_, index) => part(`k${index}`, "1")))],
      ["a field of two megabytes", complete(file, part("k", "x".repeat(2_000_000)))],
      ["many file parts", complete(...Array.from({ length: 400 }, () => part("b[c]", png, "a.png")))],
      ["no boundary", complete(file), "multipart/form-data"],
      ["another boundary", complete(file), "multipart/form-data; boundary=y"],
      ["no end", Buffer.concat([file])],
      ["nothing", ""],
      ["no disposition", "--x\r\n\r\nabc\r\n--x--\r\n"],
      ["a malformed part header", `--x\r\n${"A".repeat(100_000)}\r\n\r\nabc\r\n--x--\r\n`],
      ["bytes that are not text", complete(file, Buffer.concat([head("k"), Buffer.from([0xff, 0xfe, 0xc0]), line]))],
    ];
    for (const [what, body, type] of rows) {
      const reply = await raw(`${url}/api/things`, body, type);
      expect([what, reply.status >= 400 && reply.status < 500, reply.headers.get("content-type")]).toEqual([
        what,
        true,
        expect.stringMatching(/^application\/problem\+json/),
      ]);
    }
    expect(({} as { isAdmin?: unknown }).isAdmin).toBeUndefined();
    await until(() => files().length === 0, "nothing is stored");
    expect((await post(`${url}/api/things`, form(["a", png, "a.png"]))).status).toBe(201);
    expect(await stopWatch()).toBeGreaterThan(1);
    expect(logged().filter(({ level }) => Number(level) >= 50)).toEqual([]);
  });

  it("no name of a client becomes a path, a header or an extension", async () => {
    const { url, files } = await serve();
    for (const name of [
      "../../../../etc/passwd",
      "..\\..\\windows\\win.ini",
      "/etc/cron.d/x",
      "a%00.dat",
      "a.png\u202Egnp.exe",
      "con.txt",
      ".htaccess",
      "a.p/../n",
      `${"x".repeat(400)}.txt`,
      "a.txt%0D%0AX-Evil: 1",
    ]) {
      const { status, body } = await raw(`${url}/api/uploads/files`, complete(part("files", "text", name)));
      expect([name, status]).toEqual([name, 201]);
      expect(body.data.name).toMatch(/^[0-9a-f]{32}(\.[a-z0-9]{1,10})?$/);
      expect(body.data.originalName).not.toMatch(/[/\\\p{Cc}\u202E]/u);
    }
    expect(files().every((file) => /^uploads\/files\/[0-9a-f]{32}(\.[a-z0-9]{1,10})?$/.test(file))).toBe(true);
    for (const target of [
      "/api/uploads/images/..%2f..%2fpackage.json",
      "/api/uploads/..%2f/service.config.ts",
      "/api/uploads/%2e%2e/package.json",
      "/api/uploads/files/.env",
      "/api/uploads/files/a%00b",
      "/api/uploads/files/..%5Cx",
    ]) {
      const reply = await send(url + target);
      expect([target, reply.status >= 400 && reply.status < 405]).toEqual([target, true]);
    }
  });

  it("continues to serve during many invalid concurrent uploads", { timeout: 300_000 }, async () => {
    const { url, files } = await serve({ use: things() });
    const stopWatch = watchLife(url);
    const bad = complete(part("a", Buffer.alloc(300_000, 65), "a.png"), part("k[4294967294]", "1"));
    const responses = await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        index % 6 === 0
          ? post(`${url}/api/things`, form(["a", png, "a.png"]))
          : raw(`${url}/api/things`, bad).catch(() => ({ status: 0 })),
      ),
    );
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(10);
    expect(responses.every(({ status }) => status < 500)).toBe(true);
    await until(() => files().length === 10, "only the good files stay");
    expect(await stopWatch()).toBeGreaterThan(1);
  });
});
