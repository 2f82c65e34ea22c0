import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { form, html, jpeg, mp4, pdf, png, text } from "../../uploads/test/samples.js";
import { until } from "../../uploads/test/serve.js";
import { ServiceRouter, type UploadsConfig } from "../src/index.js";
import { makeUploadStarter, post, send } from "./serve-uploads.js";

const { serve, logged, closeAll } = makeUploadStarter();
afterEach(closeAll);

/** A route that answers with what its handler was given. */
function route(uploads: UploadsConfig, more: object = {}) {
  const router = ServiceRouter();
  router.post({ path: "/api/things", experimental: { uploads }, ...more }, (request, response) => {
    const { file, files } = request;
    response.status(201).json({ data: { body: request.body ?? null, file: file ?? null, files: files ?? null } });
  });
  return { use: [router] };
}

const madeName = "[0-9a-f]{32}";

describe("experimental.uploads of a route in a service", () => {
  it("C53 type single: one file, its pathname in the body, and GET of it serves it", async () => {
    const { url, files } = await serve(route({ type: "single", field: "photo" }));
    const { status, body } = await post(
      `${url}/api/things`,
      form(["name", "Ada"], ["photo", png, "me.png", "text/html"]),
    );
    expect(status).toBe(201);
    const { file, body: given } = body.data;
    expect(given).toEqual({ name: "Ada", photo: file.pathname });
    expect(file).toMatchObject({
      fieldname: "photo",
      originalname: "me.png",
      originalName: "me.png",
      mimetype: "image/png",
      category: "images",
      size: png.length,
      pathname: expect.stringMatching(new RegExp(`^/api/uploads/images/${madeName}\\.png$`)),
      url: `${url}${file.pathname}`,
    });
    expect(Object.keys(file)).not.toEqual(expect.arrayContaining(["path"]));
    expect(files()).toEqual([`uploads/images/${file.name}`]);
    const served = await fetch(url + file.pathname);
    expect([served.status, served.headers.get("content-type")]).toEqual([200, "image/png"]);
    expect(Buffer.from(await served.arrayBuffer())).toEqual(png);
  });

  it("C53 type array: a list, in order, at most maxCount", async () => {
    const { url, files } = await serve(route({ type: "array", field: "photos", maxCount: 2 }));
    const { body } = await post(`${url}/api/things`, form(["photos", png, "a.png"], ["photos", jpeg, "b.jpg"]));
    expect(body.data.files.map((file: { originalName: string }) => file.originalName)).toEqual(["a.png", "b.jpg"]);
    expect(body.data.body.photos).toEqual(body.data.files.map((file: { pathname: string }) => file.pathname));
    const three = form(["photos", png, "a.png"], ["photos", png, "b.png"], ["photos", png, "c.png"]);
    expect(await post(`${url}/api/things`, three)).toMatchObject({ status: 400, body: { code: "TooManyFiles" } });
    expect(files()).toHaveLength(2);
  });

  it("C53 type fields: a map by field; maxCount 1 attaches one value, any other a list", async () => {
    const fields = [{ name: "cover", maxCount: 1 }, { name: "pages", maxCount: 3 }, { name: "extra" }];
    const { url } = await serve(route({ type: "fields", fields } as UploadsConfig));
    const sent = form(["cover", png, "c.png"], ["pages", pdf, "1.pdf"], ["extra", text, "x.txt"]);
    const { body } = await post(`${url}/api/things`, sent);
    expect(Object.keys(body.data.files)).toEqual(["cover", "pages", "extra"]);
    expect(body.data.body).toEqual({
      cover: expect.stringMatching(/^\/api\/uploads\/images\/.*\.png$/),
      pages: [expect.stringMatching(/^\/api\/uploads\/documents\/.*\.pdf$/)],
      extra: [expect.stringMatching(/^\/api\/uploads\/documents\/.*\.txt$/)],
    });
  });

  it("nests bracket names of files and of ordinary fields for all three types, also where nothing else is", async () => {
    for (const [uploads, sent, expected] of [
      [
        { type: "single", field: "author[photo]" },
        form(["author[name]", "Ada"], ["author[tags][]", "x"], ["author[photo]", png, "a.png"]),
        { author: { name: "Ada", tags: ["x"], photo: expect.stringMatching(/\.png$/) } },
      ],
      [
        { type: "array", field: "a[b][c]" },
        form(["a[b][c]", png, "a.png"], ["a[b][c]", png, "b.png"]),
        { a: { b: { c: [expect.stringMatching(/\.png$/), expect.stringMatching(/\.png$/)] } } },
      ],
      [
        { type: "fields", fields: [{ name: "x[y]", maxCount: 1 }] },
        form(["x[y]", png, "a.png"], ["z[w]", "1"]),
        { x: { y: expect.stringMatching(/\.png$/) }, z: { w: "1" } },
      ],
    ] as const) {
      const { url } = await serve(route(uploads as UploadsConfig));
      expect((await post(`${url}/api/things`, sent)).body.data.body).toEqual(expected);
      await closeAll();
    }
  });

  it("attachToBody: url, file, false", async () => {
    for (const [attachToBody, expected] of [
      ["url", { photo: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/api\/uploads\/images\//) }],
      ["file", { photo: { name: expect.any(String), originalName: "a.png", category: "images" } }],
      [false, {}],
    ] as const) {
      const { url } = await serve(route({ type: "single", field: "photo", attachToBody }));
      const { body } = await post(`${url}/api/things`, form(["photo", png, "a.png"]));
      if (attachToBody === "file") expect(body.data.body).toMatchObject(expected);
      else expect(body.data.body).toEqual(expected);
      expect(body.data.file.originalName).toBe("a.png");
      await closeAll();
    }
  });

  it("maxSize, allowedFileTypes and uploadDir of the declaration; a refused file leaves nothing", async () => {
    const uploads = {
      type: "single",
      field: "doc",
      maxSize: 100,
      allowedFileTypes: ["pdf", "txt"],
      uploadDir: "contracts",
    };
    const { url, files } = await serve(route(uploads as UploadsConfig));
    const target = `${url}/api/things`;
    const refusals = [
      [form(["doc", Buffer.alloc(101, "a"), "a.txt"]), 413, "FileTooLarge", "/doc"],
      [form(["doc", png, "a.png"]), 415, "UnsupportedFileType", "/doc"],
      [form(["doc", html, "a.pdf"]), 415, "FileContentMismatch", "/doc"],
      [form(["other", text, "a.txt"]), 400, "UnexpectedFile", "/other"],
      [form(["doc", text, "a.txt"], ["doc", text, "b.txt"]), 400, "TooManyFiles", "/doc"],
    ] as const;
    for (const [sent, status, code, path] of refusals) {
      const answer = await post(target, sent);
      expect([answer.status, answer.body.code]).toEqual([status, code]);
      expect(answer.body.errors[0]).toMatchObject({ in: "files", path });
      expect(answer.headers.get("content-type")).toMatch(/^application\/problem\+json/);
      expect(answer.body.requestId).toBe(answer.headers.get("x-request-id"));
    }
    expect(files()).toEqual([]);
    const { body } = await post(target, form(["doc", text, "a.txt"]));
    expect(body.data.body.doc).toMatch(/^\/api\/uploads\/contracts\//);
    expect((await fetch(url + body.data.body.doc)).status).toBe(200);
    expect(files()).toEqual([`uploads/contracts/${body.data.file.name}`]);
  });

  it("allowedFileTypes as a pattern; deleteOnError of a failed validation, a throwing handler, and without it", async () => {
    const make = (deleteOnError: boolean) => {
      const router = ServiceRouter();
      const uploads: UploadsConfig = {
        type: "single",
        field: "file",
        allowedFileTypes: /^(png|jpe?g)$/,
        deleteOnError,
      };
      const body = z.object({ file: z.string().startsWith("/api/uploads/"), age: z.string().regex(/^\d+$/) });
      router.post({ path: "/api/checked", experimental: { uploads }, validation: { body } }, (request, response) => {
        if (request.body.age === "0") throw new Error("boom");
        response.status(Number(request.body.age)).json({ data: request.body });
      });
      return { use: [router] };
    };
    for (const deleteOnError of [true, false]) {
      const { url, files } = await serve(make(deleteOnError));
      const target = `${url}/api/checked`;
      const invalid = await post(target, form(["age", "x"], ["file", png, "a.png"]));
      expect([invalid.status, invalid.body.code, invalid.body.errors[0].path]).toEqual([
        400,
        "ValidationError",
        "/age",
      ]);
      expect((await post(target, form(["age", "0"], ["file", png, "a.png"]))).status).toBe(500);
      expect((await post(target, form(["age", "409"], ["file", png, "a.png"]))).status).toBe(409);
      await until(() => files().length === (deleteOnError ? 0 : 3), "the files are gone, or stay");
      expect((await post(target, form(["age", "201"], ["file", png, "a.png"]))).status).toBe(201);
      expect((await post(target, form(["file", pdf, "a.pdf"]))).body.code).toBe("UnsupportedFileType");
      expect(files()).toHaveLength(deleteOnError ? 1 : 4);
      // A form without the file, and JSON: the schema says that it must be there.
      expect((await post(target, form(["age", "201"]))).body.errors[0].path).toBe("/file");
      const json = { method: "POST", headers: { "content-type": "application/json" }, body: '{"age":"201"}' };
      expect((await send(target, json)).body.errors[0].path).toBe("/file");
      await closeAll();
    }
  });

  it("C33 C37 an image is changed as the declaration says", async () => {
    const { url } = await serve(route({ type: "single", field: "p", image: { width: 10, format: "webp" } }));
    const { body } = await post(`${url}/api/things`, form(["p", png, "a.png"]));
    expect(body.data.file).toMatchObject({ mimetype: "image/webp", name: expect.stringMatching(/\.webp$/) });
  });

  it("stops the start for every wrong declaration at once, with where and what", async () => {
    const router = ServiceRouter();
    const handler = (_request: unknown, response: { end(): void }) => response.end();
    router.post({ path: "/a", experimental: { uploads: { type: "single" } as never } }, handler as never);
    router.get({ path: "/b", experimental: { uploads: { type: "single", field: "f" } } }, handler as never);
    router.post({ path: "/c", experimental: { upload: {} } as never }, handler as never);
    router.post(
      { path: "/d", experimental: { uploads: { type: "single", field: "f", uploadDir: "../out" } } },
      handler as never,
    );
    const error = await serve({ use: [router] }).then(
      () => undefined,
      (thrown: Error) => thrown,
    );
    expect(error?.message).toMatch(/POST \/a .*uploads\.field: It is missing/);
    expect(error?.message).toMatch(/GET \/b .*needs a body/);
    expect(error?.message).toMatch(/experimental\.upload: There is no such key\. Did you mean uploads\?/);
    expect(error?.message).toMatch(/POST \/d .*leads out of baseUploadDir/);
  });
});

describe("the documentation of uploads", () => {
  it("C47 shows the form of a declared route with its limits, and the errors of uploads on no other route", async () => {
    const router = ServiceRouter();
    const body = z.object({ name: z.string(), author: z.object({ photo: z.string(), motto: z.string().optional() }) });
    const fields = [
      { name: "author[photo]", maxCount: 1 },
      { name: "papers", maxCount: 3 },
    ];
    const uploads = {
      type: "fields",
      fields,
      maxSize: 1234,
      allowedFileTypes: ["png", "pdf"],
      image: { width: 9 },
    } as const;
    router.post({ path: "/api/things", experimental: { uploads }, validation: { body } }, (_request, response) => {
      response.end();
    });
    router.post({ path: "/api/plain", validation: { body } }, (_request, response) => {
      response.end();
    });
    const { url } = await serve({ use: [router] });
    const { body: document } = await send(`${url}/api/api-docs.json`);
    const named = ({ $ref }: { readonly $ref: string }, kind: string) =>
      document.components[kind][$ref.split("/").at(-1) as string];
    const { post: things } = document.paths["/api/things"];
    expect(named(things.requestBody.content["multipart/form-data"].schema, "schemas")).toEqual({
      type: "object",
      properties: {
        name: { type: "string" },
        "author[motto]": { type: "string" },
        "author[photo]": {
          type: "string",
          format: "binary",
          description: "A file, at most 1234 bytes, of the types png, pdf.",
        },
        papers: { type: "array", maxItems: 3, items: expect.objectContaining({ format: "binary" }) },
      },
      required: ["name", "author[photo]"],
    });
    const codes = (operation: { responses: Record<string, { $ref: string }> }, status: string): string =>
      operation.responses[status] === undefined ? "" : named(operation.responses[status], "responses").description;
    expect(codes(things, "default")).toMatch(/FileTooLarge.*FormTooLarge.*PayloadTooLarge/s);
    expect(codes(things, "default")).toMatch(/FileContentMismatch.*UnreadableImage.*UnsupportedFileType/s);
    expect(codes(things, "507")).toContain("InsufficientStorage");
    const { post: plain } = document.paths["/api/plain"];
    expect(codes(plain, "default")).not.toContain("File");
    expect(codes(plain, "507")).toBe("");
    const files = document.paths["/api/uploads/{fileType}/{fileName}"];
    expect(Object.keys(files.get.responses["200"].content)).toEqual(["*/*"]);
    expect(Object.keys(document.paths["/api/uploads/{fileType}"].post.requestBody.content)).toEqual([
      "multipart/form-data",
    ]);
  });
});

describe("the file router of a service", () => {
  it("C34 takes each kind of file, tells what it is, serves and deletes it", async () => {
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
      // The headers of a 304 take the place of those that were stored with the answer.
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

  it("C5 answers a client that accepts nothing but images, and JSON clients with JSON", async () => {
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

  it("C34 refuses with the status that fits, as problem+json, and keeps nothing", async () => {
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
      const answer = await post(target, sent);
      expect([code, answer.status, answer.body.code]).toEqual([code, status, code]);
      expect(answer.headers.get("content-type")).toMatch(/^application\/problem\+json/);
    }
    const json = { method: "POST", headers: { "content-type": "application/json" }, body: "{}" };
    expect(await send(at("images"), json)).toMatchObject({ status: 415, body: { code: "UnsupportedMediaType" } });
    expect(await send(at("images"), { method: "POST" })).toMatchObject({ status: 400, body: { code: "NoFile" } });
    const wrong = await fetch(at("images"), { method: "PUT" });
    expect([wrong.status, wrong.headers.get("allow")]).toEqual([405, expect.stringContaining("POST")]);
    expect(files()).toEqual([]);
    expect(logged().filter(({ level }) => Number(level) >= 50)).toEqual([]);
  });

  it("takes an upload from curl, and an answer reaches a curl that sends too much", async () => {
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
          baseUploadDir: "kept/here",
          restrictions: { images: { supportedFilesRegex: /^(png|webp)$/ } },
          [key]: { maxAge: "1d", immutable: true, etag: false },
        },
      });
      expect((await post(`${url}/api/uploads/images`, form(["images", png, "a.png"]))).status).toBe(404);
      const target = `${url}/media/images`;
      expect((await post(target, form(["images", jpeg, "a.jpg"]))).body.code).toBe("UnsupportedFileType");
      const { body } = await post(target, form(["images", png, "a.png"]));
      expect(body.data.url).toBe(`https://files.example.com/media/images/${body.data.name}`);
      expect(files()).toEqual([`kept/here/images/${body.data.name}`]);
      const got = await fetch(url + body.data.pathname);
      expect(got.headers.get("cache-control")).toBe("public, max-age=86400, immutable");
      expect(got.headers.get("etag")).toBeNull();
      await closeAll();
    }
  });

  it("C51 routers.disable removes it, routers.replace puts another in its place; routes with uploads stay", async () => {
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

  it("C45 C44 runs the hooks of the module without any database; one that fails later changes nothing and is logged", async () => {
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
                if (request.headers["x-act"] === "answer") response.json({ own: true });
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
    expect((await upload("answer")).body).toEqual({ own: true });
    expect((await upload("twice")).status).toBe(201);
    expect(logged().some(({ msg }) => /afterUploadFile of file-upload/.test(String(msg)))).toBe(true);
    expect((await fetch(first.body.data.url, { method: "DELETE" })).status).toBe(403);
    expect(files()).toHaveLength(3);
  });

  it("C44 stops the start for a misspelt hook of the module and names the nearest one", async () => {
    const config = { models: { fileUpload: { hooks: { beforeUpladFile: () => undefined } } } as never };
    await expect(serve(config)).rejects.toThrow(/beforeUploadFile/);
  });
});
