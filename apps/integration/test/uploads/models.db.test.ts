import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { ServiceInitConfig } from "@servicekit/service";
import { afterEach, describe, expect, inject, it } from "vitest";
import { type ServedSchema, serveSchema } from "../../../../packages/service/test/served-schema.js";
import { form, html, jpeg, type Part, png } from "../../../../packages/uploads/test/samples.js";
import { until, uploadsBelow } from "../../../../packages/uploads/test/serve.js";
import { post, send } from "./serve-uploads.js";

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

async function serve(config: ServiceInitConfig): Promise<ServedSchema & { readonly api: string; files(): string[] }> {
  const folder = mkdtempSync(path.join(tmpdir(), "service-gallery-"));
  const served = await serveSchema(inject("postgresUrl"), {
    generated: path.join(import.meta.dirname, "../../../../packages/service/test/generated/gallery"),
    schema: { directory: path.join(import.meta.dirname, "../../../../packages/service/test/fixtures/gallery") },
    config: { ...config, fileUpload: { baseUploadDir: folder, ...config.fileUpload } },
  });
  open.push(async () => {
    await served.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return {
    ...served,
    api: `${served.service.url}/api`,
    files: () => uploadsBelow(folder).map((file) => file.slice(folder.length + 1)),
  };
}

const withImage = { type: "single", field: "image", allowedFileTypes: ["png", "jpg"], deleteOnError: true } as const;
const uploads = { createOne: withImage, updateOne: withImage };
const picture = (...more: Part[]) => form(["position", "1"], ["image", png, "a.png"], ...more);

describe("uploads in generated model routes", () => {
  it("C53 creates and updates a row with its file; the body is validated including the pathname", async () => {
    const { api, files, sql } = await serve({ models: { Picture: { uploads } } });
    const made = await post(`${api}/pictures`, picture(["title", "Sea"]));
    expect(made.status).toBe(201);
    const { data } = made.body;
    expect(data).toMatchObject({
      title: "Sea",
      position: 1,
      image: expect.stringMatching(/^\/api\/uploads\/images\//),
    });
    expect(made.headers.get("location")).toBe(`/api/pictures/${data.id}`);
    expect(Buffer.from(await (await fetch(api.replace("/api", "") + data.image)).arrayBuffer())).toEqual(png);
    const changed = await send(`${api}/pictures/${data.id}`, { method: "PATCH", body: form(["image", jpeg, "b.jpg"]) });
    expect(changed).toMatchObject({
      status: 200,
      body: { data: { title: "Sea", image: expect.stringMatching(/\.jpg$/) } },
    });
    expect(files()).toHaveLength(2);
    expect(await sql(`SELECT image FROM "Picture"`)).toEqual([{ image: changed.body.data.image }]);
    // JSON is processed as usual.
    const json = { method: "PATCH", headers: { "content-type": "application/json" }, body: '{"position":7}' };
    expect((await send(`${api}/pictures/${data.id}`, json)).body.data.position).toBe(7);
  });

  it("converts the texts of a form by the types of the fields, as JSON would contain them", async () => {
    const { api } = await serve({ models: { Picture: { uploads } } });
    const album = { method: "POST", headers: { "content-type": "application/json" }, body: '{"name":"null"}' };
    expect((await send(`${api}/albums`, album)).status).toBe(201);
    const { status, body } = await post(
      `${api}/pictures`,
      form(
        ["title", "2024"],
        ["position", "-12"],
        ["ratio", "1.5"],
        ["price", "12.50"],
        ["isPublic", "true"],
        ["mood", "WILD"],
        ["tags[]", "1"],
        ["tags[]", "true"],
        ["sizes", "640"],
        ["meta", '{"a":[1,null]}'],
        ["takenOn", "2026-01-31T12:00:00Z"],
        ["album[name]", "null"],
        ["image", png, "a.png"],
      ),
    );
    expect(body.errors ?? body.detail).toEqual(undefined);
    expect(status).toBe(201);
    expect(body.data).toMatchObject({
      title: "2024",
      position: -12,
      ratio: 1.5,
      price: "12.50",
      isPublic: true,
      mood: "WILD",
      tags: ["1", "true"],
      sizes: [640],
      meta: { a: [1, null] },
      takenOn: "2026-01-31T12:00:00.000Z",
      albumId: 1,
    });
    const emptied = form(
      ["ratio", ""],
      ["mood", ""],
      ["takenOn", "null"],
      ["price", ""],
      ["meta", ""],
      ["album[id]", "1"],
    );
    const patched = await send(`${api}/pictures/${body.data.id}`, { method: "PATCH", body: emptied });
    expect(patched.body.data ?? patched.body).toMatchObject({
      ratio: null,
      mood: null,
      takenOn: null,
      price: null,
      meta: null,
    });
  });

  it("C12 rejects invalid values of a field, rounds nothing, and leaves no file", async () => {
    const { api, files } = await serve({ models: { Picture: { uploads } } });
    for (const [name, value] of [
      ["position", "1.5"],
      ["position", "1e3"],
      ["position", "007"],
      ["position", ""],
      ["position", "null"],
      ["position", "2147483648"],
      ["ratio", "1e400"],
      ["ratio", "0.12345678901234567890"],
      ["ratio", "abc"],
      ["price", "1.005"],
      ["isPublic", "on"],
      ["isPublic", "1"],
      ["mood", "calm"],
      ["meta", "{"],
      ["meta", '{"__proto__":1}'],
      ["meta", `${"[".repeat(40)}${"]".repeat(40)}`],
      ["takenOn", "yesterday"],
      ["sizes[]", "x"],
      ["nothing", "1"],
      ["id", "5"],
    ] as const) {
      const sent = form(
        ["title", "x"],
        ...(name === "position" ? [] : [["position", "1"] as const]),
        [name, value],
        ["image", png, "a.png"],
      );
      const response = await post(`${api}/pictures`, sent);
      expect([name, value, response.status, response.body.code]).toEqual([name, value, 400, "ValidationError"]);
      expect(JSON.stringify(response.body.errors)).toContain(name.replace("[]", ""));
    }
    const many = JSON.stringify(Array(10_001).fill(0));
    const rejected = await post(`${api}/pictures`, picture(["title", "x"], ["meta", many]));
    expect([rejected.status, rejected.body.code]).toEqual([413, "PayloadTooLarge"]);
    // A hidden field gets the same response as a missing one.
    const responses = [];
    for (const name of ["origin", "origim"]) {
      const response = await post(`${api}/pictures`, picture(["title", "x"], [name, "{"]));
      responses.push([response.status, JSON.stringify(response.body.errors).replaceAll(name, "…")]);
    }
    expect(responses[0]).toEqual(responses[1]);
    await until(() => files().length === 0, "no file stays");
  });

  it("C35 a unique conflict, a missing row and an invalid relation leave no file with deleteOnError, and the row's file stays", async () => {
    const { api, files } = await serve({ models: { Picture: { uploads } } });
    const { body } = await post(`${api}/pictures`, picture(["title", "one"]));
    await post(`${api}/pictures`, picture(["title", "two"]));
    expect(files()).toHaveLength(2);
    expect(await post(`${api}/pictures`, picture(["title", "one"]))).toMatchObject({
      status: 409,
      body: { code: "UniqueConstraint" },
    });
    const patch = (id: number, sent: FormData) => send(`${api}/pictures/${id}`, { method: "PATCH", body: sent });
    expect((await patch(body.data.id, form(["title", "two"], ["image", png, "b.png"]))).status).toBe(409);
    expect((await patch(4711, form(["image", png, "b.png"]))).status).toBe(404);
    expect((await post(`${api}/pictures`, picture(["title", "x"], ["albumId", "4711"]))).body.code).toBe(
      "RelatedRecordNotFound",
    );
    expect(
      (await post(`${api}/pictures`, form(["title", "x"], ["position", "1"], ["image", html, "a.png"]))).status,
    ).toBe(415);
    expect((await post(`${api}/pictures`, form(["title", "x"], ["position", "1"]))).body.errors[0].path).toBe("/image");
    await until(() => files().length === 2, "two files stay");
    const twenty = await Promise.all(
      Array.from({ length: 20 }, () => post(`${api}/pictures`, picture(["title", "race"]))),
    );
    expect(twenty.map(({ status }) => status).sort()).toEqual([201, ...Array.from({ length: 19 }, () => 409)]);
    await until(() => files().length === 3, "the winner's file stays");
  });

  it("without deleteOnError the file of a conflict stays; lists and file data are stored in their fields", async () => {
    const createOne = {
      type: "fields",
      fields: [
        { name: "image", maxCount: 1 },
        { name: "pages", maxCount: 3 },
      ],
    } as const;
    const updateOne = { type: "single", field: "details", attachToBody: "file" } as const;
    const { api, files } = await serve({ models: { Picture: { uploads: { createOne, updateOne } } } });
    const sent = () => picture(["title", "x"], ["pages", png, "1.png"], ["pages", png, "2.png"]);
    const { body } = await post(`${api}/pictures`, sent());
    expect(body.data.pages).toHaveLength(2);
    expect((await post(`${api}/pictures`, sent())).status).toBe(409);
    expect(files()).toHaveLength(6);
    const changed = await send(`${api}/pictures/${body.data.id}`, {
      method: "PATCH",
      body: form(["details", jpeg, "d.jpg"]),
    });
    expect(changed.body.data.details).toMatchObject({
      originalName: "d.jpg",
      mimeType: "image/jpeg",
      size: jpeg.length,
    });
  });

  it("C38 reports the issues of a model's uploads, with the generated route", async () => {
    const wrong = { Picture: { uploads: { createOne: { type: "single" } } } } as never;
    await expect(serve({ models: wrong })).rejects.toThrow(/models\.Picture\.uploads\.createOne\.field: is missing/);
    const misspelt = { Picture: { uploads: { createMany: withImage } } } as never;
    await expect(serve({ models: misspelt })).rejects.toThrow(/createMany/);
  });

  it("C47 documents the form of a generated route next to JSON, with the errors of uploads", async () => {
    const limited = { ...withImage, maxSize: 1234, field: "image" };
    const { service } = await serve({
      models: { Picture: { uploads: { createOne: limited } } },
      apidocs: { mode: "orm" },
    });
    const { body: document } = await send(`${service.url}/api/api-docs.json`);
    const { post: create } = document.paths["/api/pictures"];
    expect(Object.keys(create.requestBody.content).sort()).toEqual(["application/json", "multipart/form-data"]);
    const { $ref } = create.requestBody.content["multipart/form-data"].schema;
    const schema = document.components.schemas[$ref.split("/").at(-1)];
    expect(schema.properties.image).toEqual({
      type: "string",
      format: "binary",
      description: expect.stringContaining("1234 bytes"),
    });
    expect(schema.required).toEqual(expect.arrayContaining(["title", "position", "image"]));
    const codes = (status: string): string => {
      const { $ref: at } = create.responses[status];
      return JSON.stringify(document.components.responses[at.split("/").at(-1)]);
    };
    expect(codes("400")).toMatch(/TooManyFiles.*/);
    expect(codes("default")).toContain("FileTooLarge");
    expect(codes("default")).toContain("FileContentMismatch");
    expect(codes("507")).toContain("InsufficientStorage");
    expect(create.responses["409"]).toBeDefined();
    const update = document.paths["/api/pictures/{id}"].patch;
    expect(update.responses["507"]).toBeUndefined();
  });
});

const secret = "a secret of tests that has more than thirty-two bytes";

describe("access to files", () => {
  const authentication = {
    mode: "static",
    jwt: { secret },
    rateLimit: { windowMs: 1000, limit: 10_000 },
    password: { cost: 4 },
  } as const;

  async function users({ api, sql }: { readonly api: string; sql: ServedSchema["sql"] }) {
    const tokens: Record<string, Record<string, string>> = {};
    for (const name of ["super", "editor", "viewer"]) {
      const headers = { "content-type": "application/json" };
      const account = JSON.stringify({ username: name, password: "a long password" });
      expect((await send(`${api}/auth/signup`, { method: "POST", headers, body: account })).status).toBe(201);
      await sql(
        `UPDATE "User" SET "isSuperUser" = ${name === "super"}, role = '${name === "editor" ? "EDITOR" : "VIEWER"}' WHERE username = '${name}'`,
      );
      const { body } = await send(`${api}/auth/login`, { method: "POST", headers, body: account });
      tokens[name] = { authorization: `Bearer ${body.accessToken}` };
    }
    return tokens as Readonly<Record<"super" | "editor" | "viewer", Record<string, string>>>;
  }

  it("C34 GET is public, POST and DELETE require a superuser; rejected before any byte is stored", async () => {
    const served = await serve({ authentication });
    const { api, files } = served;
    const { super: root, editor } = await users(served);
    const target = `${api}/uploads/images`;
    const sent = () => form(["images", png, "a.png"]);
    expect((await post(target, sent())).status).toBe(401);
    expect((await post(target, sent(), editor)).status).toBe(403);
    // The response does not reveal whether the category or the file exists (contract C50).
    const [known, unknown] = [await post(target, sent(), editor), await post(`${api}/uploads/nothing`, sent(), editor)];
    expect([unknown.status, unknown.body.code, unknown.body.detail]).toEqual([
      known.status,
      known.body.code,
      known.body.detail,
    ]);
    expect(files()).toEqual([]);
    const { status, body } = await post(target, sent(), root);
    expect(status).toBe(201);
    expect((await fetch(body.data.url)).status).toBe(200);
    for (const at of [body.data.url, `${api}/uploads/images/absent.png`]) {
      expect((await fetch(at, { method: "DELETE" })).status).toBe(401);
      expect((await fetch(at, { method: "DELETE", headers: editor })).status).toBe(403);
    }
    expect(files()).toHaveLength(1);
    expect((await fetch(body.data.url, { method: "DELETE", headers: root })).status).toBe(204);
  });

  it("C34 C44 the module file-upload configures it", async () => {
    const auth = { uploadFile: ["EDITOR"], findFile: true, deleteFile: { rule: ["EDITOR"] } };
    const served = await serve({ authentication, models: { fileUpload: { auth } } });
    const { api } = served;
    const { editor, viewer } = await users(served);
    const sent = () => form(["images", png, "a.png"]);
    expect((await post(`${api}/uploads/images`, sent(), viewer)).status).toBe(403);
    const { status, body } = await post(`${api}/uploads/images`, sent(), editor);
    expect(status).toBe(201);
    expect((await fetch(body.data.url)).status).toBe(401);
    const got = await fetch(body.data.url, { headers: viewer });
    expect([got.status, got.headers.get("cache-control")]).toEqual([200, expect.stringMatching(/^private/)]);
    expect((await fetch(body.data.url, { method: "DELETE", headers: viewer })).status).toBe(403);
    expect((await fetch(body.data.url, { method: "DELETE", headers: editor })).status).toBe(204);
  });

  it("C50 is decided before a byte is stored, in model routes too", async () => {
    const served = await serve({ authentication, models: { Picture: { uploads, auth: { createOne: ["EDITOR"] } } } });
    const { api, files } = served;
    const { editor, viewer, super: root } = await users(served);
    const large = () =>
      form(["title", "x"], ["position", "1"], ["image", Buffer.concat([png, Buffer.alloc(9_000_000)]), "a.png"]);
    expect((await post(`${api}/pictures`, large())).status).toBe(401);
    expect((await post(`${api}/pictures`, large(), viewer)).status).toBe(403);
    expect(files()).toEqual([]);
    expect((await post(`${api}/pictures`, large(), editor)).status).toBe(201);
    const patch = (headers: Record<string, string>) =>
      send(`${api}/pictures/1`, { method: "PATCH", body: form(["image", png, "b.png"]), headers });
    expect((await patch(editor)).status).toBe(403);
    expect((await patch(root)).status).toBe(200);
    expect(files()).toHaveLength(2);
  });

  it("C31 does not allow an upload with a cookie from a foreign page", async () => {
    const served = await serve({ authentication });
    const { super: root } = await users(served);
    const cookie = `access_token=${root.authorization?.slice("Bearer ".length)}`;
    const from = (origin: string, site: string) =>
      post(`${served.api}/uploads/images`, form(["images", png, "a.png"]), { cookie, origin, "sec-fetch-site": site });
    expect(await from("https://evil.example.com", "cross-site")).toMatchObject({
      status: 403,
      body: { code: "CrossSiteRequest" },
    });
    expect(served.files()).toEqual([]);
    expect((await from(served.service.url, "same-origin")).status).toBe(201);
  });

  it("C30 is open with authentication turned off", async () => {
    const { api } = await serve({ authentication: { ...authentication, enabled: false } });
    const { status, body } = await post(`${api}/uploads/images`, form(["images", png, "a.png"]));
    expect(status).toBe(201);
    expect((await fetch(body.data.url, { method: "DELETE" })).status).toBe(204);
  });
});
