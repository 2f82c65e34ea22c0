import { ServiceRouter, type UploadsConfig } from "@servicekit/service";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { form, html, jpeg, pdf, png, text } from "../../../../packages/uploads/test/samples.js";
import { until } from "../../../../packages/uploads/test/serve.js";
import { makeUploadStarter, post, route, send } from "./serve-uploads.js";

const { serve, closeAll } = makeUploadStarter();
afterEach(closeAll);

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

  it("nests bracket names of files and of ordinary fields for all three types, also without other nested names", async () => {
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

  it("maxSize, allowedFileTypes and uploadDir of the declaration; a rejected file leaves nothing", async () => {
    const uploads = {
      type: "single",
      field: "doc",
      maxSize: 100,
      allowedFileTypes: ["pdf", "txt"],
      uploadDir: "contracts",
    };
    const { url, files } = await serve(route(uploads as UploadsConfig));
    const target = `${url}/api/things`;
    const rejections = [
      [form(["doc", Buffer.alloc(101, "a"), "a.txt"]), 413, "FileTooLarge", "/doc"],
      [form(["doc", png, "a.png"]), 415, "UnsupportedFileType", "/doc"],
      [form(["doc", html, "a.pdf"]), 415, "FileContentMismatch", "/doc"],
      [form(["other", text, "a.txt"]), 400, "UnexpectedFile", "/other"],
      [form(["doc", text, "a.txt"], ["doc", text, "b.txt"]), 400, "TooManyFiles", "/doc"],
    ] as const;
    for (const [sent, status, code, path] of rejections) {
      const reply = await post(target, sent);
      expect([reply.status, reply.body.code]).toEqual([status, code]);
      expect(reply.body.errors[0]).toMatchObject({ in: "files", path });
      expect(reply.headers.get("content-type")).toMatch(/^application\/problem\+json/);
      expect(reply.body.requestId).toBe(reply.headers.get("x-request-id"));
    }
    expect(files()).toEqual([]);
    const { body } = await post(target, form(["doc", text, "a.txt"]));
    expect(body.data.body.doc).toMatch(/^\/api\/uploads\/contracts\//);
    expect((await fetch(url + body.data.body.doc)).status).toBe(200);
    expect(files()).toEqual([`uploads/contracts/${body.data.file.name}`]);
  });

  it("allowedFileTypes as a pattern; deleteOnError for a failed validation, a throwing handler, and without it", async () => {
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
      // A form without the file, and JSON: the schema requires it.
      expect((await post(target, form(["age", "201"]))).body.errors[0].path).toBe("/file");
      const json = { method: "POST", headers: { "content-type": "application/json" }, body: '{"age":"201"}' };
      expect((await send(target, json)).body.errors[0].path).toBe("/file");
      await closeAll();
    }
  });

  it("C33 C37 an image is converted as declared", async () => {
    const { url } = await serve(route({ type: "single", field: "p", image: { width: 10, format: "webp" } }));
    const { body } = await post(`${url}/api/things`, form(["p", png, "a.png"]));
    expect(body.data.file).toMatchObject({ mimetype: "image/webp", name: expect.stringMatching(/\.webp$/) });
  });

  it("prevents startup for every invalid declaration together, with place and issue", async () => {
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
    expect(error?.message).toMatch(/POST \/a .*uploads\.field: is missing/);
    expect(error?.message).toMatch(/GET \/b .*requires a body/);
    expect(error?.message).toMatch(/experimental\.upload: Unknown key\. Did you mean uploads\?/);
    expect(error?.message).toMatch(/POST \/d .*leads out of baseUploadDir/);
  });
});

describe("the documentation of uploads", () => {
  it("C47 contains the form of a declared route with its limits, and the errors of uploads on no other route", async () => {
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
