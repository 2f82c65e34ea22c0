import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type UploadsConfig } from "@servicekit/router";
import type { RequestHandler } from "express";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { start } from "./echo-uploads.js";
import { form, jpeg, type Part, pdf, png, text } from "./samples.js";
import { makeDirectory, type Served, until } from "./serve.js";

interface Echo {
  readonly body: Record<string, unknown>;
  readonly files?: unknown;
  readonly code?: string;
  readonly errors?: unknown;
}

async function send(served: Served, ...parts: Part[]): Promise<{ status: number; body: Echo }> {
  const reply = await fetch(`${served.origin}/a`, { method: "POST", body: form(...parts) });
  return { status: reply.status, body: (await reply.json()) as Echo };
}

const path = (category = "images", extension = "png") =>
  expect.stringMatching(new RegExp(`^/api/uploads/${category}/[0-9a-f]{32}\\.${extension}$`));

describe("experimental.uploads", () => {
  it("C53 passes one file and attaches its pathname", async () => {
    const served = await start({ uploads: { type: "single", field: "avatar" } });
    const { status, body } = await send(served, ["name", "Ada"], ["avatar", png, "me.png"]);
    expect([status, body]).toEqual([
      200,
      {
        body: { name: "Ada", avatar: path() },
        file: {
          fieldname: "avatar",
          originalname: "me.png",
          originalName: "me.png",
          encoding: "7bit",
          mimetype: "image/png",
          mimeType: "image/png",
          filename: expect.any(String),
          name: expect.any(String),
          category: "images",
          size: png.length,
          pathname: String(body.body.avatar),
          url: `https://files.example.com${String(body.body.avatar)}`,
        },
      },
    ]);
    const got = await fetch(`${served.origin}${String(body.body.avatar)}`);
    expect(Buffer.from(await got.arrayBuffer())).toEqual(png);
  });

  it("C53 gives handlers the path on disk, and never a response", async () => {
    let path = "";
    const handler: RequestHandler = (request, response) => {
      path = request.file?.path ?? "";
      response.json({ file: request.file });
    };
    const served = await start({ uploads: { type: "single", field: "avatar" }, handler });
    const { body } = await send(served, ["avatar", png, "me.png"]);
    expect(readFileSync(path)).toEqual(png);
    expect(JSON.stringify(body)).not.toContain(served.directory);
  });

  it("C53 passes and attaches a list", async () => {
    const served = await start({ uploads: { type: "array", field: "photos", maxCount: 3 } });
    const one = await send(served, ["photos", png, "1.png"]);
    expect(one.body.body).toEqual({ photos: [path()] });
    const two = await send(served, ["photos[]", png, "1.png"], ["photos[]", jpeg, "2.jpg"]);
    expect(two.body.body).toEqual({ photos: [path(), path("images", "jpg")] });
    expect((two.body.files as { originalname: string }[]).map((file) => file.originalname)).toEqual(["1.png", "2.jpg"]);
    const four = await send(served, ...[1, 2, 3, 4].map((n) => ["photos", png, `${n}.png`] as const));
    expect([four.status, four.body.code]).toEqual([400, "TooManyFiles"]);
    expect(served.files().length).toBe(3);
  });

  it("C53 passes a map by field; maxCount 1 attaches one value, any other a list", async () => {
    const fields = [{ name: "avatar", maxCount: 1 }, { name: "papers", maxCount: 2 }, { name: "rest" }];
    const served = await start({ uploads: { type: "fields", fields } });
    const { body } = await send(
      served,
      ["papers", pdf, "1.pdf"],
      ["avatar", png, "a.png"],
      ["papers", text, "2.txt"],
      ["rest", text, "3.txt"],
    );
    expect(body.body).toEqual({
      avatar: path(),
      papers: [path("documents", "pdf"), path("documents", "txt")],
      rest: [path("documents", "txt")],
    });
    const names = Object.entries(body.files as Record<string, { originalname: string }[]>).map(([field, files]) => [
      field,
      ...files.map((file) => file.originalname),
    ]);
    expect(names).toEqual([
      ["avatar", "a.png"],
      ["papers", "1.pdf", "2.txt"],
      ["rest", "3.txt"],
    ]);
    expect((await send(served, ["avatar", png, "a.png"], ["avatar", png, "b.png"])).body.code).toBe("TooManyFiles");
  });

  it("nests files and fields by their names, also without other fields", async () => {
    const cases: [UploadsConfig, Part[], unknown][] = [
      [{ type: "single", field: "author[photo]" }, [["author[photo]", png, "a.png"]], { author: { photo: path() } }],
      [
        { type: "single", field: "author[profile][photo]" },
        [
          ["author[name]", "Ada"],
          ["author[profile][photo]", png, "a.png"],
          ["tags[]", "x"],
          ["tags[]", "y"],
        ],
        { author: { name: "Ada", profile: { photo: path() } }, tags: ["x", "y"] },
      ],
      [
        { type: "array", field: "album[photos]" },
        [
          ["album[photos]", png, "a.png"],
          ["album[photos]", png, "b.png"],
          ["album[title]", "T"],
        ],
        { album: { title: "T", photos: [path(), path()] } },
      ],
      [
        {
          type: "fields",
          fields: [{ name: "a[b][c]", maxCount: 1 }, { name: "items[0][photo]", maxCount: 1 }, { name: "a[list]" }],
        },
        [
          ["items[0][photo]", png, "a.png"],
          ["items[0][name]", "first"],
          ["a[b][c]", png, "b.png"],
          ["a[list]", png, "c.png"],
        ],
        { items: [{ name: "first", photo: path() }], a: { b: { c: path() }, list: [path()] } },
      ],
    ];
    for (const [uploads, parts, expected] of cases) {
      expect((await send(await start({ uploads }), ...parts)).body.body).toEqual(expected);
    }
  });

  it("attaches the URL, the data of the file, or nothing", async () => {
    const bodyOf = async (attachToBody: UploadsConfig["attachToBody"]): Promise<Record<string, unknown>> => {
      const uploads = {
        type: "single",
        field: "a[b]",
        ...(attachToBody === undefined ? {} : { attachToBody }),
      } as const;
      return (await send(await start({ uploads }), ["a[b]", png, "x.png"])).body.body;
    };
    expect(await bodyOf("pathname")).toEqual({ a: { b: path() } });
    expect(await bodyOf("url")).toEqual({
      a: { b: expect.stringMatching(/^https:\/\/files\.example\.com\/api\/uploads\/images\/[0-9a-f]{32}\.png$/) },
    });
    expect(await bodyOf("file")).toEqual({
      a: {
        b: {
          name: expect.any(String),
          originalName: "x.png",
          category: "images",
          mimeType: "image/png",
          size: png.length,
          pathname: path(),
          url: expect.any(String),
        },
      },
    });
    expect(await bodyOf(false)).toEqual({});
  });

  it("rejects conflicting names, and stores nothing", async () => {
    const served = await start({ uploads: { type: "fields", fields: [{ name: "a[b]", maxCount: 1 }, { name: "c" }] } });
    const file: Part = ["a[b]", png, "x.png"];
    const cases: Part[][] = [
      [file, ["a", "text"]],
      [file, ["a[b]", "text"]],
      [file, ["a[b][c]", "text"]],
      [file, ["a[]", "text"]],
      [
        ["c", png, "x.png"],
        ["c", "text"],
      ],
      [file, ["x", "1"], ["x[y]", "2"]],
      [file, ["x[", "1"]],
      [file, ["__proto__", "1"]],
      [file, ["x[__proto__][y]", "1"]],
      [file, ["x[constructor]", "1"]],
      [file, ["x[5]", "1"]],
    ];
    for (const parts of cases) {
      const { status, body } = await send(served, ...parts);
      expect([parts, status, body.code]).toEqual([parts, 400, "InvalidFieldName"]);
    }
    expect(served.files()).toEqual([]);
    expect(Object.prototype).not.toHaveProperty("y");
  });

  it("passes requests without files and with other bodies", async () => {
    const single = await start({ uploads: { type: "single", field: "avatar" } });
    expect((await send(single, ["name", "Ada"])).body).toEqual({ body: { name: "Ada" } });
    expect((await send(single, ["avatar", "", ""], ["name", "Ada"])).body).toEqual({ body: { name: "Ada" } });
    const json = { method: "POST", headers: { "content-type": "application/json" }, body: '{"name":"Ada"}' };
    expect(await (await fetch(`${single.origin}/a`, json)).json()).toEqual({ body: { name: "Ada" } });
    const list = await start({ uploads: { type: "array", field: "photos" } });
    expect(await (await fetch(`${list.origin}/a`, json)).json()).toEqual({ body: { name: "Ada" }, files: [] });
    const map = await start({ uploads: { type: "fields", fields: [{ name: "photos" }] } });
    expect((await send(map)).body).toEqual({ body: {}, files: {} });
    const plain = { method: "POST", headers: { "content-type": "text/plain" }, body: "x" };
    expect((await fetch(`${single.origin}/a`, plain)).status).toBe(415);
    const mixed = { method: "POST", headers: { "content-type": "multipart/mixed; boundary=x" }, body: "--x--" };
    expect((await fetch(`${single.origin}/a`, mixed)).status).toBe(415);
  });

  it("validates the body including the files", async () => {
    const body = z.strictObject({ name: z.string().min(2), avatar: z.string() });
    const uploads = { type: "single", field: "avatar", deleteOnError: true } as const;
    const served = await start({ uploads, body });
    expect((await send(served, ["name", "Ada"], ["avatar", png, "a.png"])).status).toBe(200);
    expect((await send(served, ["name", "Ada"])).body.errors).toMatchObject([{ in: "body", path: "/avatar" }]);
    expect((await send(served, ["name", "A"], ["avatar", png, "a.png"])).body.errors).toMatchObject([
      { in: "body", path: "/name" },
    ]);
    await until(() => served.files().length === 1, "the file of the rejected request is gone");
  });

  it("C35 deleteOnError covers validation, failing handlers and responses of 400 and above; without it files remain", async () => {
    const handler: RequestHandler = (request, response) => {
      if (request.body.how === "throw") throw new Error("the handler failed");
      if (request.body.how === "late") {
        response.write("a");
        throw new Error("the handler failed late");
      }
      response.status(request.body.how === "409" ? 409 : 200).json({});
    };
    const uploads = { type: "single", field: "avatar" } as const;
    const careful = await start({ uploads: { ...uploads, deleteOnError: true }, handler });
    const careless = await start({ uploads, handler });
    for (const how of ["throw", "409", "late"]) {
      for (const served of [careful, careless]) {
        const parts: Part[] = [
          ["how", how],
          ["avatar", png, "a.png"],
        ];
        const sent = fetch(`${served.origin}/a`, { method: "POST", body: form(...parts) });
        await sent.then((reply) => reply.text()).catch(() => undefined);
      }
    }
    await until(() => careful.files().length === 0, "no file is left");
    expect(careless.files().length).toBe(3);
    await send(careful, ["how", "well"], ["avatar", png, "a.png"]);
    expect(careful.files().length).toBe(1);
  });

  it("C35 deleteOnError waits for the handler of a disconnected client", async () => {
    const gates: { open(): void }[] = [];
    let left = 0;
    let ended = 0;
    const handler: RequestHandler = async (request, response) => {
      response.once("close", () => left++);
      await new Promise<void>((open) => gates.push({ open }));
      setImmediate(() => ended++);
      if (request.body.how === "throw") throw new Error("the handler failed");
      response.json({});
    };
    const served = await start({ uploads: { type: "single", field: "a", deleteOnError: true }, handler });
    for (const how of ["throw", "well"]) {
      const aborter = new AbortController();
      const sent = fetch(`${served.origin}/a`, {
        method: "POST",
        body: form(["how", how], ["a", png, "a.png"]),
        signal: aborter.signal,
      }).catch(() => undefined);
      await until(() => gates.length === 1, "the handler runs");
      aborter.abort();
      await sent;
      await until(() => left > ended, "the server has noticed");
      expect(served.files().length).toBe(1);
      gates.pop()?.open();
      if (how === "throw") await until(() => served.files().length === 0, "the file is gone");
    }
    await until(() => ended === 2, "the handler has ended");
    expect(served.files().length).toBe(1);
  });

  it("uses limits and types of the declaration, otherwise of the category", async () => {
    const config = { restrictions: { images: { maxCount: 2, maxSize: 1000, supportedFilesRegex: /\.png$/g } } };
    const field = "f";
    const cases: [UploadsConfig, Part[], number, string?][] = [
      [{ type: "array", field }, [["f", png, "a.png"]], 200],
      [{ type: "array", field }, [["f", jpeg, "a.jpg"]], 415, "UnsupportedFileType"],
      [{ type: "array", field }, [["f", Buffer.concat([png, Buffer.alloc(1000)]), "a.png"]], 413, "FileTooLarge"],
      [
        { type: "array", field },
        [
          ["f", png, "1.png"],
          ["f", png, "2.png"],
          ["f", png, "3.png"],
        ],
        400,
        "TooManyFiles",
      ],
      [
        { type: "array", field },
        [
          ["f", png, "1.png"],
          ["f", png, "2.png"],
          ["f", text, "3.txt"],
        ],
        200,
      ],
      [
        { type: "array", field, maxCount: 3 },
        [
          ["f", png, "1.png"],
          ["f", png, "2.png"],
          ["f", png, "3.png"],
        ],
        200,
      ],
      [{ type: "single", field, maxSize: 5000 }, [["f", Buffer.concat([png, Buffer.alloc(1000)]), "a.png"]], 200],
      [{ type: "single", field, maxSize: 20 }, [["f", png, "a.png"]], 413, "FileTooLarge"],
      [{ type: "single", field, allowedFileTypes: ["jpg", ".PDF"] }, [["f", jpeg, "a.jpg"]], 200],
      [{ type: "single", field, allowedFileTypes: ["jpg", ".PDF"] }, [["f", pdf, "a.pdf"]], 200],
      [{ type: "single", field, allowedFileTypes: ["jpg", ".PDF"] }, [["f", png, "a.png"]], 415, "UnsupportedFileType"],
      [{ type: "single", field, allowedFileTypes: /^image\// }, [["f", jpeg, "a.jpg"]], 200],
      [{ type: "single", field, allowedFileTypes: /^image\// }, [["f", text, "a.txt"]], 415, "UnsupportedFileType"],
      [{ type: "single", field, allowedFileTypes: ["image/*"] }, [["f", png, "a.png"]], 200],
      [{ type: "single", field, allowedFileTypes: [" IMAGE/JPEG ", "pdf"] }, [["f", jpeg, "a.jpg"]], 200],
      [{ type: "single", field, allowedFileTypes: ["image/*"] }, [["f", pdf, "a.pdf"]], 415, "UnsupportedFileType"],
      [{ type: "single", field, allowedFileTypes: ["image/*"] }, [["f", pdf, "a.png"]], 415, "FileContentMismatch"],
      [{ type: "single", field, allowedFileTypes: ["jpg"] }, [["f", png, "a.jpg"]], 415, "FileContentMismatch"],
    ];
    for (const [uploads, parts, status, code] of cases) {
      const served = await start({ uploads, config });
      const reply = await send(served, ...parts);
      expect([uploads, reply.status, reply.body.code]).toEqual([uploads, status, code]);
      if (status >= 400) expect(served.files()).toEqual([]);
    }
  });

  it("stores in uploadDir: below the base directory it is served, elsewhere it is not, and no path of the disk is returned", async () => {
    const bodyOf = async (uploadDir: string, directory: string): Promise<string> => {
      const served = await start({ uploads: { type: "single", field: "f", uploadDir }, directory });
      const { f } = (await send(served, ["f", png, "a.png"])).body.body as unknown as { f: string };
      if (f.startsWith("/api/")) expect((await fetch(served.origin + f)).status).toBe(200);
      return f;
    };
    const directory = makeDirectory();
    const outside = makeDirectory();
    const avatar = await bodyOf("avatars", directory);
    expect(avatar).toMatch(/^\/api\/uploads\/avatars\/[0-9a-f]{32}\.png$/);
    expect(existsSync(join(directory, "uploads", "avatars", avatar.slice(-36)))).toBe(true);
    expect(await bodyOf("uploads/avatars", directory)).toMatch(/^\/api\/uploads\/avatars\//);
    expect(await bodyOf(join(directory, "uploads", "avatars"), directory)).toMatch(/^\/api\/uploads\/avatars\//);
    expect(await bodyOf("private/papers", directory)).toMatch(/^private\/papers\/[0-9a-f]{32}\.png$/);
    expect(await bodyOf(outside, directory)).toMatch(/^[0-9a-f]{32}\.png$/);
  });
});

it("C33 rejects a file over the limit of its category with 413 where another category accepts more, every time", async () => {
  const config = { restrictions: { images: { maxSize: 100_000 } } };
  const served = await start({ uploads: { type: "single", field: "f", image: { width: 20 } }, config });
  const large = Buffer.concat([png, Buffer.alloc(3_000_000)]);
  for (let round = 0; round < 10; round++) {
    const { status, body } = await send(served, ["f", large, "a.png"]);
    expect([status, body.code]).toEqual([413, "FileTooLarge"]);
  }
  expect([served.files(), served.logged]).toEqual([[], []]);
});
