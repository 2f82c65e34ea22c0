import { execFileSync, spawnSync } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdirSync, openSync, readdirSync, readlinkSync, utimesSync, writeFileSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { Agent, request } from "node:http";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { makeDiskStorage } from "../src/storage/disk.js";
import { form, png } from "./samples.js";
import { makeDirectory, type Served, serve, until } from "./serve.js";
import { openS3 } from "./storages.js";

const post = (served: Served, content: Buffer, name = "a.bin"): Promise<Response> =>
  fetch(`${served.origin}/api/uploads/files`, { method: "POST", body: form(["files", content, name]) });

const codeOf = async (response: Response): Promise<unknown[]> => [response.status, (await response.json()).code];

/** A small file system of its own; `undefined` without permission. */
function mountSmall(bytes: number): { directory: string; unmount(): void } | undefined {
  const directory = makeDirectory();
  const target = join(directory, "uploads");
  mkdirSync(target);
  const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", `size=${bytes}`, "tmpfs", target], { stdio: "ignore" });
  if (mounted.status !== 0) return undefined;
  return { directory, unmount: () => void execFileSync("umount", ["-l", target]) };
}

/** Sets the maximum number of descriptors of the process and returns the previous one. */
function limitDescriptors(count: number): number | undefined {
  const report = spawnSync("prlimit", ["--pid", String(process.pid), "--nofile", "--output", "SOFT", "--noheadings"], {
    encoding: "utf8",
  });
  const before = Number(report.stdout?.trim());
  if (report.status !== 0 || !Number.isInteger(before)) return undefined;
  const set = spawnSync("prlimit", ["--pid", String(process.pid), `--nofile=${count}:`], { stdio: "ignore" });
  return set.status === 0 ? before : undefined;
}

describe("an error of the storage", () => {
  it("is 507 when the disk is full, leaves nothing, and uploads work again afterwards", async (context) => {
    const small = mountSmall(4 * 1024 * 1024);
    if (small === undefined) return context.skip("mounting a file system needs root");
    try {
      const served = await serve({ directory: small.directory });
      expect(await codeOf(await post(served, Buffer.alloc(6 * 1024 * 1024)))).toEqual([507, "InsufficientStorage"]);
      expect(served.files()).toEqual([]);
      const two = form(["files", Buffer.alloc(3 * 1024 * 1024), "a"], ["files", Buffer.alloc(3 * 1024 * 1024), "b"]);
      const response = await fetch(`${served.origin}/api/uploads/files`, { method: "POST", body: two });
      expect(await codeOf(response)).toEqual([507, "InsufficientStorage"]);
      expect(served.files()).toEqual([]);
      expect((await post(served, Buffer.alloc(1024 * 1024))).status).toBe(201);
      expect(served.logged.length).toBe(2);
    } finally {
      small.unmount();
    }
  });

  it("is 503 without descriptors, leaves nothing, and uploads work again afterwards", async (context) => {
    const served = await serve();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const send = async (): Promise<number> => {
      const { body, headers } = await encoded(form(["files", png, "a.png"]));
      return new Promise((resolve, reject) => {
        const sent = request({
          port: served.port,
          host: "127.0.0.1",
          path: "/api/uploads/files",
          method: "POST",
          agent,
          headers,
        });
        sent.on("response", (response) => {
          response.resume();
          response.on("end", () => resolve(response.statusCode ?? 0));
        });
        sent.on("error", reject);
        sent.end(body);
      });
    };
    // The connection and all modules are open before the descriptors run out.
    expect(await send()).toBe(201);
    const before = limitDescriptors(readdirSync("/proc/self/fd").length + 30);
    if (before === undefined) return context.skip("prlimit cannot set the limit here");
    const taken: number[] = [];
    try {
      for (;;) taken.push(openSync("/dev/null", "r"));
    } catch {
      // All of them are in use.
    }
    try {
      expect(await send()).toBe(503);
    } finally {
      for (const descriptor of taken) closeSync(descriptor);
      limitDescriptors(before);
    }
    expect(served.files().length).toBe(1);
    expect(await send()).toBe(201);
    agent.destroy();
  });

  it("is 500 without details when a file has the name of the folder, and is logged", async () => {
    const served = await serve();
    mkdirSync(join(served.directory, "uploads"));
    writeFileSync(join(served.directory, "uploads", "files"), "");
    const response = await post(served, png, "a.png");
    const text = await response.text();
    expect([response.status, JSON.parse(text).code]).toEqual([500, "InternalServerError"]);
    expect(text).not.toMatch(/E[A-Z]{4,}|uploads-/);
    expect(served.logged.length).toBe(1);
    expect((await fetch(`${served.origin}/api/uploads/files/a.png`)).status).toBe(404);
    expect(await codeOf(await post(served, Buffer.alloc(20_000_000)))).toEqual([500, "InternalServerError"]);
  });

  it("is 503 when the object store is unavailable", async () => {
    const closed = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => closed.once("listening", resolve));
    const { port } = closed.address() as { port: number };
    await new Promise((resolve) => closed.close(resolve));
    const credentials = { accessKeyId: "a", secretAccessKey: "b" };
    const storage = { type: "s3", bucket: "files", endpoint: `http://127.0.0.1:${port}`, credentials } as const;
    const served = await serve({ config: { storage } });
    const response = await post(served, png, "a.png");
    expect(response.headers.get("retry-after")).toBe("1");
    expect(await codeOf(response)).toEqual([503, "StorageUnavailable"]);
    const got = await fetch(`${served.origin}/api/uploads/files/a.png`);
    expect(await codeOf(got)).toEqual([503, "StorageUnavailable"]);
  });

  it("is 503 when the folder cannot be written, and is logged", async (context) => {
    const small = mountSmall(1024 * 1024);
    if (small === undefined) return context.skip("mounting a file system needs root");
    try {
      execFileSync("mount", ["-o", "remount,ro", join(small.directory, "uploads")]);
      const served = await serve({ directory: small.directory });
      expect(await codeOf(await post(served, png, "a.png"))).toEqual([503, "StorageUnavailable"]);
      expect(served.logged).toEqual([
        expect.objectContaining({ code: "StorageUnavailable", cause: expect.anything() }),
      ]);
    } finally {
      small.unmount();
    }
  });

  it.each([
    ["with one file in one request", 3_000_000],
    ["in the middle of a file in parts", 16_000_000],
  ])("is 503 when the object store is killed %s", async (_when, bytes) => {
    const s3 = await openS3();
    const { storage } = s3.config as { storage: { endpoint: string } };
    const sockets = new Set<Socket>();
    let passed = 0;
    const proxy = createServer((client) => {
      const store = connect(Number(new URL(storage.endpoint).port), "127.0.0.1");
      for (const socket of [client, store]) {
        sockets.add(socket);
        socket.on("error", () => undefined);
      }
      client.on("data", (chunk: Buffer) => {
        passed += chunk.length;
        store.write(chunk);
        if (passed < bytes / 2) return;
        proxy.close();
        for (const socket of sockets) socket.destroy();
      });
      store.pipe(client);
    }).listen(0, "127.0.0.1");
    await once(proxy, "listening");
    try {
      const endpoint = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
      const served = await serve({
        config: { storage: { ...storage, endpoint } as typeof storage & { type: "s3" } } as never,
      });
      const response = await post(served, Buffer.alloc(bytes));
      expect(response.headers.get("retry-after")).toBe("1");
      expect(await codeOf(response)).toEqual([503, "StorageUnavailable"]);
    } finally {
      await s3.close();
    }
  });
});

it("C35 bytes, owner and name are on disk before an upload is acknowledged", async () => {
  const directory = makeDirectory();
  const probe = await open(join(directory, "probe"), "w");
  const prototype = Object.getPrototypeOf(probe) as { sync(this: FileHandle): Promise<void> };
  await probe.close();
  const synced: string[] = [];
  const { sync } = prototype;
  prototype.sync = async function () {
    const path = readlinkSync(`/proc/self/fd/${this.fd}`);
    await sync.call(this);
    synced.push(path);
  };
  try {
    const storage = makeDiskStorage(join(directory, "uploads"));
    const file = await storage.create("files", "a.bin", { mediaType: "a/b", owner: "7" });
    await file.write(Readable.from([Buffer.from("bytes")]));
    await file.commit();
    const folder = join(directory, "uploads", "files");
    expect(synced).toEqual([expect.stringMatching(/\.part$/), join(folder, ".a.bin.owner"), folder]);
  } finally {
    prototype.sync = sync;
  }
});

describe("C35 the files of a killed process", () => {
  it("are deleted after a day, and nothing else is", async () => {
    const served = await serve();
    const folder = join(served.directory, "uploads", "files");
    mkdirSync(folder, { recursive: true });
    const old = new Date(Date.now() - 25 * 3600 * 1000);
    for (const name of [".0123-abcd.part", ".0123-abce.part", ".keep", "a.part"])
      writeFileSync(join(folder, name), "x");
    for (const name of [".0123-abcd.part", ".keep", "a.part"]) utimesSync(join(folder, name), old, old);
    expect((await post(served, png, "a.png")).status).toBe(201);
    await until(() => served.files().length === 4, "the old part is gone");
    expect(served.files().map((file) => file.slice(folder.length + 1))).toEqual(
      expect.arrayContaining([".0123-abce.part", ".keep", "a.part"]),
    );
  });
});

describe("C35 memory", () => {
  it("stays constant while a large file arrives", { timeout: 300_000 }, async () => {
    const served = await serve();
    const chunk = Buffer.alloc(1024 * 1024, 1);
    const size = 300;
    const head = Buffer.from('--x\r\nContent-Disposition: form-data; name="files"; filename="a.bin"\r\n\r\n');
    const tail = Buffer.from("\r\n--x--\r\n");
    const idle = process.memoryUsage().rss;
    let max = 0;
    const watch = setInterval(() => {
      max = Math.max(max, process.memoryUsage().rss - idle);
    }, 10);
    const socket = connect(served.port, "127.0.0.1");
    let response = "";
    socket.on("data", (data) => {
      response += data.toString();
    });
    const length = head.length + size * chunk.length + tail.length;
    socket.write(
      `POST /api/uploads/files HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: ${length}\r\n\r\n`,
    );
    socket.write(head);
    // A rejection closes the connection, and nothing more can be sent: the response gives the reason.
    let end: unknown;
    socket.on("error", (error) => {
      end = error;
    });
    socket.on("close", () => {
      end ??= "closed";
    });
    for (let sent = 0; sent < size && end === undefined; sent++) {
      if (!socket.write(chunk)) {
        await new Promise<void>((resolve) => {
          socket.once("drain", resolve);
          socket.once("close", () => resolve());
        });
      }
    }
    socket.write(tail);
    await until(() => end !== undefined || response.includes("\r\n\r\n{"), "the file is stored");
    expect([end, response]).toEqual([undefined, expect.stringContaining("\r\n\r\n{")]);
    clearInterval(watch);
    socket.destroy();
    expect(response).toMatch(/^HTTP\/1\.1 201 /);
    expect(max / 1024 / 1024).toBeLessThan(100);
  });
});

/** The bytes of a form and their headers. */
async function encoded(data: FormData): Promise<{ body: Buffer; headers: Record<string, string> }> {
  const complete = new Response(data);
  const body = Buffer.from(await complete.arrayBuffer());
  return {
    body,
    headers: { "content-type": complete.headers.get("content-type") ?? "", "content-length": String(body.length) },
  };
}
