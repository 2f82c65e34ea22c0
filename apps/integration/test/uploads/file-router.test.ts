import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { ServiceRouter } from "@servicekit/service";
import { afterEach, describe, expect, it } from "vitest";
import { form, html, jpeg, mp4, pdf, png, text } from "../../../../packages/uploads/test/samples.js";
import { until } from "../../../../packages/uploads/test/serve.js";
import { makeUploadStarter, post, route, send } from "./serve-uploads.js";

const { serve, logged, closeAll } = makeUploadStarter();
afterEach(closeAll);
const madeName = "[0-9a-f]{32}";

describe("the file router of a service", () => {
  it("C34 accepts each kind of file, detects its type, serves and deletes it", async () => {
    const { url, files } = await serve();
    for (const [category, content, name, mimeType] of [
      ["images", png, "a.png", "image/png"],
      ["images", jpeg, "a.JPG", "image/jpeg"],
      ["videos", mp4, "a.mp4", "video/mp4"],
      ["documents", pdf, "a.pdf", "application/pdf"],
      ["documents", text, "a.txt", "text/plain"],
      ["files", Buffer.alloc(0), "empty.dat", "application/octet-stream"],
      ["files", html, "a.html", "text/html"],
    ] as const) {
      const { status, headers, body } = await post(`${url}/api/uploads/${category}`, form([category, content, name]));
      expect([name, status]).toEqual([name, 201]);
      const { data } = body;
      expect(data).toEqual({
        name: expect.stringMatching(new RegExp(`^${madeName}\\.[a-z0-9]+$`)),
        originalName: name,
        category,
        mimeType,
        size: content.length,
        pathname: `/api/uploads/${category}/${data.name}`,
        url: `${url}/api/uploads/${category}/${data.name}`,
      });
      expect(headers.get("location")).toBe(data.url);
      const got = await fetch(data.url);
      expect(got.status).toBe(200);
      expect(got.headers.get("x-content-type-options")).toBe("nosniff");
      expect(got.headers.get("cross-origin-resource-policy")).toBe("cross-origin");
      expect(got.headers.get("content-disposition")?.startsWith("attachment") ?? false).toBe(/html|dat/.test(name));
      expect(Buffer.from(await got.arrayBuffer())).toEqual(content);
      const known = await fetch(data.url, { headers: { "if-none-match": got.headers.get("etag") ?? "" } });
      expect(known.status).toBe(304);
      // The headers of a 304 replace those of the stored response.
      for (const header of ["cross-origin-resource-policy", "content-disposition", "content-security-policy"]) {
        expect([header, known.headers.get(header)]).toEqual([header, got.headers.get(header)]);
      }
      if (content.length > 3) {
        const part = await fetch(data.url, { headers: { range: "bytes=1-3" } });
        expect([part.status, Buffer.from(await part.arrayBuffer())]).toEqual([206, content.subarray(1, 4)]);
      }
      const head = await fetch(data.url, { method: "HEAD", headers: { accept: "image/*" } });
      expect([head.status, head.headers.get("content-length")]).toEqual([200, String(content.length)]);
      expect((await fetch(data.url, { method: "DELETE" })).status).toBe(204);
      expect((await fetch(data.url)).status).toBe(404);
      expect((await fetch(data.url, { method: "DELETE" })).status).toBe(404);
    }
    expect(files()).toEqual([]);
  });

  it("C5 responds to a client that accepts only images, and to JSON clients with JSON", async () => {
    const { url } = await serve();
    const { body } = await post(`${url}/api/uploads/images`, form(["images", png, "a.png"]), {
      accept: "application/json",
    });
    for (const accept of ["image/avif,image/webp,image/*;q=0.8", "image/png", "*/*"]) {
      expect((await fetch(body.data.url, { headers: { accept } })).status).toBe(200);
    }
    expect(
      (await post(`${url}/api/uploads/images`, form(["images", png, "a.png"]), { accept: "text/html" })).status,
    ).toBe(406);
  });

  it("C34 rejects with the appropriate status, as problem+json, and stores nothing", async () => {
    const config = { fileUpload: { restrictions: { images: { maxCount: 2, maxSize: 500 } } } };
    const { url, files } = await serve(config);
    const at = (category: string) => `${url}/api/uploads/${category}`;
    const many = form(["images", png, "1.png"], ["images", png, "2.png"], ["images", png, "3.png"]);
    const rows = [
      [at("pictures"), form(["file", png, "a.png"]), 404, "UnknownCategory"],
      [at("images"), form(["images", Buffer.concat([png, Buffer.alloc(500)]), "a.png"]), 413, "FileTooLarge"],
      [at("images"), many, 400, "TooManyFiles"],
      [at("images"), form(["images", pdf, "a.pdf"]), 415, "UnsupportedFileType"],
      [at("images"), form(["images", html, "a.png"]), 415, "FileContentMismatch"],
      [at("images"), form(["images", png, "a.exe"]), 415, "UnsupportedFileType"],
      [at("images"), form(["images", Buffer.alloc(0), "a.png"]), 415, "FileContentMismatch"],
      [at("images"), form(["name", "Ada"]), 400, "NoFile"],
      [at("images"), form(["pictures", png, "a.png"]), 400, "UnexpectedFile"],
    ] as const;
    for (const [target, sent, status, code] of rows) {
      const reply = await post(target, sent);
      expect([code, reply.status, reply.body.code]).toEqual([code, status, code]);
      expect(reply.headers.get("content-type")).toMatch(/^application\/problem\+json/);
    }
    const json = { method: "POST", headers: { "content-type": "application/json" }, body: "{}" };
    expect(await send(at("images"), json)).toMatchObject({ status: 415, body: { code: "UnsupportedMediaType" } });
    expect(await send(at("images"), { method: "POST" })).toMatchObject({ status: 400, body: { code: "NoFile" } });
    const wrong = await fetch(at("images"), { method: "PUT" });
    expect([wrong.status, wrong.headers.get("allow")]).toEqual([405, expect.stringContaining("POST")]);
    expect(files()).toEqual([]);
    expect(logged().filter(({ level }) => Number(level) >= 50)).toEqual([]);
  });

  it("accepts an upload from curl, and a curl that sends too much receives the response", async () => {
    const { url, directory } = await serve({ fileUpload: { restrictions: { documents: { maxSize: 1000 } } } });
    const [small, large] = [join(directory, "small.pdf"), join(directory, "large.pdf")];
    writeFileSync(small, pdf);
    writeFileSync(large, Buffer.concat([pdf, Buffer.alloc(8 * 1024 * 1024)]));
    const curl = async (file: string) => {
      const { stdout } = await promisify(execFile)("curl", [
        "-sS",
        "-w",
        "\n%{http_code}",
        "-F",
        `documents=@${file}`,
        `${url}/api/uploads/documents`,
      ]);
      const at = stdout.lastIndexOf("\n");
      return [Number(stdout.slice(at + 1)), JSON.parse(stdout.slice(0, at))];
    };
    expect(await curl(small)).toEqual([
      201,
      { data: expect.objectContaining({ originalName: "small.pdf", size: pdf.length }) },
    ]);
    expect(await curl(large)).toEqual([413, expect.objectContaining({ code: expect.stringMatching(/TooLarge$/) })]);
  });

  it("fileUpload: baseRoute, baseUploadDir, restrictions, serverStatic and serverStaticOptions, publicUrl", async () => {
    for (const key of ["serverStatic", "serverStaticOptions"]) {
      const { url, files } = await serve({
        publicUrl: "https://files.example.com",
        fileUpload: {
          baseRoute: "/media",
          baseUploadDir: "stored/here",
          restrictions: { images: { supportedFilesRegex: /^(png|webp)$/ } },
          [key]: { maxAge: "1d", immutable: true, etag: false },
        },
      });
      expect((await post(`${url}/api/uploads/images`, form(["images", png, "a.png"]))).status).toBe(404);
      const target = `${url}/media/images`;
      expect((await post(target, form(["images", jpeg, "a.jpg"]))).body.code).toBe("UnsupportedFileType");
      const { body } = await post(target, form(["images", png, "a.png"]));
      expect(body.data.url).toBe(`https://files.example.com/media/images/${body.data.name}`);
      expect(files()).toEqual([`stored/here/images/${body.data.name}`]);
      const got = await fetch(url + body.data.pathname);
      expect(got.headers.get("cache-control")).toBe("public, max-age=86400, immutable");
      expect(got.headers.get("etag")).toBeNull();
      await closeAll();
    }
  });

  it("C51 routers.disable removes it, routers.replace replaces it; routes with uploads stay", async () => {
    const uploads = route({ type: "single", field: "photo" });
    const disabled = await serve({ ...uploads, routers: { disable: ["file-uploader"] } });
    expect((await post(`${disabled.url}/api/uploads/images`, form(["images", png, "a.png"]))).status).toBe(404);
    const { body } = await post(`${disabled.url}/api/things`, form(["photo", png, "a.png"]));
    expect(body.data.body.photo).toMatch(/^\/api\/uploads\/images\//);
    expect((await fetch(disabled.url + body.data.body.photo)).status).toBe(404);
    const replacement = ServiceRouter().get({ path: "/:type/:name" }, (request, response) => {
      response.json({ own: request.params });
    });
    const replaced = await serve({
      fileUpload: { baseRoute: "/media" },
      routers: { replace: { fileUploader: replacement } },
    });
    expect((await send(`${replaced.url}/media/images/x.png`)).body).toEqual({ own: { type: "images", name: "x.png" } });
    expect((await post(`${replaced.url}/media/images`, form(["images", png, "a.png"]))).status).toBe(404);
  });

  it("C45 C44 runs the hooks of the module without a database; one that fails later changes nothing and is logged", async () => {
    const seen: string[] = [];
    const note =
      (name: string) =>
      (_request: unknown, response: { locals: { data?: { originalName?: string } } }, next: () => void) => {
        seen.push(`${name} ${response.locals.data?.originalName ?? "-"}`);
        next();
      };
    const { url, files } = await serve({
      models: {
        fileUpload: {
          hooks: {
            beforeUploadFile: [note("before"), note("before 2")],
            afterUploadFile: [
              note("after"),
              (
                request: { headers: Record<string, string> },
                response: { json(body: unknown): void },
                next: (error?: unknown) => void,
              ) => {
                if (request.headers["x-act"] === "fail") throw new Error("no");
                if (request.headers["x-act"] === "respond") response.json({ own: true });
                next();
                if (request.headers["x-act"] === "twice") next(new Error("too late"));
              },
            ],
            beforeDeleteFile: (_request: unknown, response: { status(code: number): { end(): void } }) =>
              response.status(403).end(),
          },
        },
      } as never,
    });
    const target = `${url}/api/uploads/images`;
    const upload = (act: string) => post(target, form(["images", png, "a.png"]), { "x-act": act });
    const first = await upload("none");
    expect(first.status).toBe(201);
    expect(seen).toEqual(["before -", "before 2 -", "after a.png"]);
    expect((await upload("fail")).status).toBe(500);
    await until(() => files().length === 1, "the file of the failed hook is gone");
    expect((await upload("respond")).body).toEqual({ own: true });
    expect((await upload("twice")).status).toBe(201);
    expect(logged().some(({ msg }) => /afterUploadFile of file-upload/.test(String(msg)))).toBe(true);
    expect((await fetch(first.body.data.url, { method: "DELETE" })).status).toBe(403);
    expect(files()).toHaveLength(3);
  });

  it("C44 prevents startup for a misspelled hook of the module and suggests the nearest one", async () => {
    const config = { models: { fileUpload: { hooks: { beforeUpladFile: () => undefined } } } as never };
    await expect(serve(config)).rejects.toThrow(/beforeUploadFile/);
  });
});
