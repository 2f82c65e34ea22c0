import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type FileUploadConfig } from "../src/index.js";
import { post, stored } from "./posted-files.js";
import { html, jpeg, mp4, type Part, pdf, png, svg, text } from "./samples.js";
import { type Served, serve, until, type Wiring } from "./serve.js";
import { storages, type TestStorage } from "./storages.js";

/** Status, code and the place of each issue. */
async function issue(reply: Response | Promise<Response>): Promise<unknown[]> {
  const { status, headers } = await reply;
  expect(headers.get("content-type")).toBe("application/problem+json");
  const { code, errors = [] } = await (await reply).json();
  return [status, code, ...errors.map((error: { in: string; path: string }) => `${error.in} ${error.path}`)];
}

describe.each(storages)("the file router on %s", (_name, open) => {
  let storage: TestStorage;
  let served: Served;
  const start = (wiring: Wiring = {}, config: FileUploadConfig = {}) =>
    serve({ ...wiring, config: { ...storage.config, ...config } });
  beforeAll(async () => {
    storage = await open();
    served = await start();
  });
  afterAll(() => storage.close());

  it("C34 stores one file and returns its data", async () => {
    const reply = await post(served, "images", ["images", png, "Ferien 1.PNG", "image/png"]);
    const { data } = await reply.json();
    const pathname = `/api/uploads/images/${data.name}`;
    expect([reply.status, data]).toEqual([
      201,
      {
        name: expect.stringMatching(/^[0-9a-f]{32}\.png$/),
        originalName: "Ferien 1.PNG",
        category: "images",
        mimeType: "image/png",
        size: png.length,
        pathname,
        url: `https://files.example.com${pathname}`,
      },
    ]);
    expect(reply.headers.get("location")).toBe(data.url);
    const got = await fetch(served.origin + pathname);
    expect(Buffer.from(await got.arrayBuffer())).toEqual(png);
  });

  it("C34 returns a list for several files, in their order", async () => {
    const parts: Part[] = [
      ["documents", pdf, "a.pdf"],
      ["file", text, "b.txt"],
      ["documents[]", "", "c.csv"],
    ];
    const reply = await post(served, "documents", ...parts);
    const { data } = await reply.json();
    expect([reply.status, reply.headers.get("location")]).toEqual([201, null]);
    expect(data.map((file: Record<string, unknown>) => [file.originalName, file.mimeType, file.size])).toEqual([
      ["a.pdf", "application/pdf", pdf.length],
      ["b.txt", "text/plain", text.length],
      ["c.csv", "text/csv", 0],
    ]);
  });

  it("C33 accepts the files of each category and no others", async () => {
    const taken: [string, Part][] = [
      ["images", ["images", jpeg, "a.jpeg"]],
      ["images", ["images", png, "blob", "image/png"]],
      ["images", ["images", svg, "a.svg"]],
      ["videos", ["videos", mp4, "a.mp4"]],
      ["documents", ["documents", pdf, "a.pdf"]],
      ["files", ["files", html, "a.html"]],
      ["files", ["files", "\0\0", "no extension"]],
    ];
    for (const [category, part] of taken) expect((await post(served, category, part)).status).toBe(201);
    const before = storage.stored(served.directory);
    const rejected: [string, Part, string][] = [
      ["images", ["images", text, "a.txt"], "UnsupportedFileType"],
      ["images", ["images", png, "a.exe"], "UnsupportedFileType"],
      ["images", ["images", text, "none"], "UnsupportedFileType"],
      ["images", ["images", jpeg, "a.png"], "FileContentMismatch"],
      ["images", ["images", html, "a.jpg"], "FileContentMismatch"],
      ["images", ["images", "", "a.png"], "FileContentMismatch"],
      ["images", ["images", html, "a.svg"], "FileContentMismatch"],
      ["videos", ["videos", pdf, "a.mp4"], "FileContentMismatch"],
      ["documents", ["documents", png, "a.pdf"], "FileContentMismatch"],
      ["documents", ["documents", png, "a.txt"], "FileContentMismatch"],
      ["files", ["files", text, "a.png"], "FileContentMismatch"],
    ];
    for (const [category, part, code] of rejected) {
      expect(await issue(post(served, category, part))).toEqual([415, code, `files /${category}/0`]);
    }
    expect(storage.stored(served.directory)).toEqual(before);
  });

  it("C34 rejects invalid forms and stores nothing of them", async () => {
    const limited = await start(
      {},
      { restrictions: { images: { maxCount: 2, maxSize: 200 }, files: { maxSize: 5_000_000 } } },
    );
    const before = storage.stored(limited.directory);
    const a: Part = ["images", png, "a.png"];
    expect(await issue(post(limited, "images"))).toEqual([400, "NoFile", "files "]);
    expect(await issue(post(limited, "images", ["title", "x"]))).toEqual([400, "NoFile", "files "]);
    expect(await issue(post(limited, "images", a, a, a))).toEqual([400, "TooManyFiles", "files /images/2"]);
    expect(await issue(post(limited, "images", a, ["other", png, "a.png"]))).toEqual([
      400,
      "UnexpectedFile",
      "files /other",
    ]);
    expect(
      await issue(post(limited, "images", a, ["images", Buffer.concat([png, Buffer.alloc(100)]), "a.png"])),
    ).toEqual([413, "FileTooLarge", "files /images/1"]);
    expect(await issue(post(limited, "files", ["files", Buffer.alloc(5_000_001), "a"]))).toEqual([
      413,
      "FileTooLarge",
      "files /files/0",
    ]);
    expect(await issue(fetch(`${limited.origin}/api/uploads/images`, { method: "POST" }))).toEqual([
      400,
      "NoFile",
      "files ",
    ]);
    const json = { method: "POST", body: "{}", headers: { "content-type": "application/json" } };
    expect(await issue(fetch(`${limited.origin}/api/uploads/images`, json))).toEqual([
      415,
      "UnsupportedMediaType",
      "headers /content-type",
    ]);
    expect(await issue(post(limited, "pictures", a))).toEqual([404, "UnknownCategory", "params "]);
    await until(() => storage.stored(limited.directory).length === before.length, "nothing is kept");
    expect((await post(limited, "images", a)).status).toBe(201);
  });

  it("C35 streams a large file", async () => {
    const large = Buffer.alloc(12 * 1024 * 1024, "0123456789abcdef\n");
    const { pathname } = await stored(served, "files", ["files", large, "large.txt"]);
    const got = await fetch(served.origin + pathname);
    expect(Buffer.from(await got.arrayBuffer()).equals(large)).toBe(true);
    const tail = await fetch(served.origin + pathname, { headers: { range: `bytes=${large.length - 5}-` } });
    expect(await tail.text()).toBe(large.subarray(-5).toString());
  });

  it("isolates concurrent uploads", async () => {
    const contents = Array.from({ length: 24 }, (_, index) => Buffer.alloc(300_000 + index, `${index} `));
    const got = await Promise.all(
      contents.map(async (content) => {
        const { pathname } = await stored(served, "files", ["files", content, "a.txt"]);
        return Buffer.from(await (await fetch(served.origin + pathname)).arrayBuffer());
      }),
    );
    expect(got.map((content, index) => content.equals(contents[index] as Buffer))).toEqual(contents.map(() => true));
  });

  it("C34 serves with entity tags and dates", async () => {
    const { pathname } = await stored(served, "documents", ["documents", text, "a.txt"]);
    const get = (headers: Record<string, string>, method = "GET") =>
      fetch(served.origin + pathname, { headers, method });
    const got = await get({});
    expect(await got.text()).toBe(text.toString());
    const etag = got.headers.get("etag") ?? "";
    const modified = got.headers.get("last-modified") ?? "";
    expect(etag).toMatch(/^"[^"]+"$/);
    expect(Object.fromEntries(got.headers)).toMatchObject({
      "content-type": "text/plain; charset=utf-8",
      "content-length": String(text.length),
      "x-content-type-options": "nosniff",
      "cross-origin-resource-policy": "cross-origin",
      "accept-ranges": "bytes",
      "cache-control": "public, max-age=0",
    });
    const responses: [Record<string, string>, number][] = [
      [{ "if-none-match": etag }, 304],
      [{ "if-none-match": `"x", W/${etag}` }, 304],
      [{ "if-none-match": '"x"' }, 200],
      [{ "if-modified-since": modified }, 304],
      [{ "if-modified-since": new Date(0).toUTCString() }, 200],
      [{ "if-match": etag }, 200],
      [{ "if-match": '"x"' }, 412],
      [{ accept: "image/*" }, 200],
      [{ accept: "application/json" }, 200],
    ];
    for (const [headers, status] of responses)
      expect([headers, (await get(headers)).status]).toEqual([headers, status]);
    const head = await get({ range: "bytes=0-1" }, "HEAD");
    expect([head.status, head.headers.get("content-length"), await head.text()]).toEqual([
      200,
      String(text.length),
      "",
    ]);
  });

  it("C34 serves ranges", async () => {
    const { pathname } = await stored(served, "documents", ["documents", "0123456789", "a.txt"]);
    const get = async (range: string, more: Record<string, string> = {}) => {
      const reply = await fetch(served.origin + pathname, { headers: { range, ...more } });
      return [reply.status, reply.headers.get("content-range"), await reply.text()];
    };
    const complete = [200, null, "0123456789"];
    expect(await get("bytes=2-4")).toEqual([206, "bytes 2-4/10", "234"]);
    expect(await get("bytes=-3")).toEqual([206, "bytes 7-9/10", "789"]);
    expect(await get("bytes=8-99")).toEqual([206, "bytes 8-9/10", "89"]);
    expect(await get("bytes=0-0,1-1")).toEqual([206, "bytes 0-1/10", "01"]);
    expect(await get("bytes=0-0,9-9")).toEqual(complete);
    expect(await get("bytes=x")).toEqual(complete);
    expect(await get("lines=1-2")).toEqual(complete);
    const etag = (await fetch(served.origin + pathname)).headers.get("etag") ?? "";
    expect(await get("bytes=2-4", { "if-range": etag })).toEqual([206, "bytes 2-4/10", "234"]);
    expect(await get("bytes=2-4", { "if-range": '"x"' })).toEqual(complete);
    const outside = await fetch(served.origin + pathname, { headers: { range: "bytes=10-" } });
    expect([outside.headers.get("content-range"), outside.headers.get("etag")]).toEqual(["bytes */10", null]);
    expect(await issue(outside)).toEqual([416, "RangeNotSatisfiable", "headers /range"]);
  });

  it("C34 serves active content as a download in an opaque origin", async () => {
    const cases: [Buffer | string, string, string, boolean][] = [
      [svg, "a.svg", "image/svg+xml; charset=utf-8", true],
      [html, "a.html", "text/html; charset=utf-8", true],
      ["<a/>", "a.xml", "application/xml; charset=utf-8", true],
      ["alert(1)", "a.js", "text/javascript; charset=utf-8", true],
      [html, "a.xhtml", "application/octet-stream", true],
      [html, "unknown", "application/octet-stream", true],
      [pdf, "a.pdf", "application/pdf", false],
      [png, "a.png", "image/png", false],
    ];
    for (const [content, name, type, isDownload] of cases) {
      const file = await stored(served, "files", ["files", content, name]);
      const { headers } = await fetch(served.origin + file.pathname);
      expect([name, headers.get("content-type"), headers.get("x-content-type-options")]).toEqual([
        name,
        type,
        "nosniff",
      ]);
      expect(headers.get("content-disposition")).toBe(isDownload ? `attachment; filename="${file.name}"` : null);
      expect(headers.get("content-security-policy")).toBe(isDownload ? "sandbox; default-src 'none'" : null);
    }
  });

  it("C34 deletes", async () => {
    const { pathname } = await stored(served, "images", ["images", png, "a.png"]);
    const before = storage.stored(served.directory).length;
    const gone = await fetch(served.origin + pathname, { method: "DELETE" });
    expect([gone.status, await gone.text()]).toEqual([204, ""]);
    expect(storage.stored(served.directory).length).toBe(before - 1);
    expect(await issue(fetch(served.origin + pathname, { method: "DELETE" }))).toEqual([
      404,
      "FileNotFound",
      "params ",
    ]);
    expect(await issue(fetch(served.origin + pathname))).toEqual([404, "FileNotFound", "params "]);
  });

  it("returns 404 for every invalid name", async () => {
    const names = [
      "..%2f..%2fetc%2fpasswd",
      "..%5c..%5cboot.ini",
      ".hidden",
      "%2fetc%2fpasswd",
      "a%00.png",
      "nul",
      "CON.txt",
      "com1.png",
      "a.png.",
      "a b.png",
      "e%CC%81.png",
      "%C3%A9.png",
      `${"a".repeat(300)}.png`,
      "C:%5cx.png",
      "a.png::$DATA",
      "absent.png",
    ];
    for (const name of names) {
      for (const method of ["GET", "DELETE"]) {
        const reply = fetch(`${served.origin}/api/uploads/images/${name}`, { method });
        expect([name, ...(await issue(reply))]).toEqual([name, 404, "FileNotFound", "params "]);
      }
    }
    for (const folder of ["..", "%2e%2e%2f", ".git", "a%00", "%2fetc", "absent"]) {
      expect((await fetch(`${served.origin}/api/uploads/${folder}/${"0".repeat(32)}`)).status).toBe(404);
    }
  });

  it("C45 runs hooks around each operation, and a failing one leaves no file", async () => {
    const seen: unknown[] = [];
    const note = (name: string) => (_request: unknown, response: { locals: { data?: unknown } }, next: () => void) => {
      seen.push([name, (response.locals.data as { category?: unknown })?.category]);
      next();
    };
    const hooked = await start({
      module: {
        hooks: {
          beforeUploadFile: note("beforeUploadFile"),
          afterUploadFile: [
            note("afterUploadFile"),
            (request: { query: Record<string, unknown> }, _response: unknown, next: (error?: unknown) => void) =>
              next(request.query.fail === undefined ? undefined : new Error("a hook failed")),
          ],
          beforeFindFile: note("beforeFindFile"),
          afterFindFile: note("afterFindFile"),
          beforeDeleteFile: note("beforeDeleteFile"),
          afterDeleteFile: note("afterDeleteFile"),
        },
      },
    });
    const { pathname } = await stored(hooked, "images", ["images", png, "a.png"]);
    await fetch(hooked.origin + pathname);
    await fetch(hooked.origin + pathname, { method: "DELETE" });
    expect(seen).toEqual([
      ["beforeUploadFile", undefined],
      ["afterUploadFile", "images"],
      ["beforeFindFile", undefined],
      ["afterFindFile", "images"],
      ["beforeDeleteFile", undefined],
      ["afterDeleteFile", "images"],
    ]);
    const before = storage.stored(hooked.directory).length;
    expect((await post(hooked, "images?fail=1", ["images", png, "a.png"])).status).toBe(500);
    await until(() => storage.stored(hooked.directory).length === before, "the file of the failed request is gone");
  });
});
