import { symlinkSync, writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { httpErrors } from "@servicekit/core";
import { ServiceRouter } from "@servicekit/router";
import { declareRoute } from "@servicekit/router/internal";
import { describe, expect, it } from "vitest";
import { uploadErrors } from "../src/index.js";
import { stored } from "./posted-files.js";
import { form, png } from "./samples.js";
import { serve, type Wiring } from "./serve.js";

describe("the file router", () => {
  it("does not follow links", async () => {
    const served = await serve();
    const { pathname } = await stored(served, "images", ["images", png, "a.png"]);
    const base = join(served.directory, "uploads");
    writeFileSync(join(served.directory, "secret.png"), png);
    symlinkSync(join(served.directory, "secret.png"), join(base, "images", "link.png"));
    symlinkSync(served.directory, join(base, "videos"));
    await mkdir(join(base, "images", "folder.png"));
    for (const path of ["images/link.png", "videos/secret.png", "images/folder.png"]) {
      expect((await fetch(`${served.origin}/api/uploads/${path}`)).status).toBe(404);
      expect((await fetch(`${served.origin}/api/uploads/${path}`, { method: "DELETE" })).status).toBe(404);
    }
    expect((await fetch(served.origin + pathname)).status).toBe(200);
  });

  it("serves from a base directory that is a link itself", async () => {
    const { directory } = await serve();
    await mkdir(join(directory, "real"));
    symlinkSync(join(directory, "real"), join(directory, "uploads"));
    const served = await serve({ directory });
    const { pathname } = await stored(served, "images", ["images", png, "a.png"]);
    expect((await fetch(served.origin + pathname)).status).toBe(200);
  });

  it("serves plain names in a category, and only generated names in other folders", async () => {
    const served = await serve();
    const base = join(served.directory, "uploads");
    const made = `${"0".repeat(32)}.txt`;
    for (const folder of ["documents", "other"]) {
      await mkdir(join(base, folder), { recursive: true });
      for (const name of ["logo.txt", made]) writeFileSync(join(base, folder, name), "x");
    }
    const status = async (path: string) => (await fetch(`${served.origin}/api/uploads/${path}`)).status;
    expect(await status("documents/logo.txt")).toBe(200);
    expect(await status("other/logo.txt")).toBe(404);
    expect(await status(`other/${made}`)).toBe(200);
  });

  it("is mounted at baseRoute, and builds no URL from the Host header", async () => {
    const served = await serve({ config: { baseRoute: "/media/f/" }, publicUrl: "https://cdn.example.com/" });
    const reply = await fetch(`${served.origin}/media/f/images`, {
      method: "POST",
      body: form(["file", png, "a.png"]),
      headers: { "x-forwarded-host": "evil.example.com" },
    });
    const { data } = await reply.json();
    expect(data.url).toBe(`https://cdn.example.com/media/f/images/${data.name}`);
    expect((await fetch(served.origin + data.pathname)).status).toBe(200);
  });

  it("C34 rejects an unknown category before the body is read", async () => {
    const served = await serve();
    let sent = 0;
    const body = new ReadableStream({
      pull(controller) {
        sent += 65_536;
        if (sent > 50_000_000) controller.close();
        else controller.enqueue(new Uint8Array(65_536));
      },
    });
    const reply = await fetch(`${served.origin}/api/uploads/pictures`, {
      method: "POST",
      body,
      duplex: "half",
      headers: { "content-type": "multipart/form-data; boundary=x" },
    } as RequestInit);
    expect([reply.status, sent < 50_000_000]).toEqual([404, true]);
  });

  it("accepts the options of static serving", async () => {
    const options = {
      maxAge: "1d",
      immutable: true,
      etag: false,
      lastModified: false,
      acceptRanges: false,
      setHeaders: (response: { setHeader(name: string, value: string): unknown }, name: string) =>
        void response.setHeader("X-Name", name.slice(-4)),
    };
    const served = await serve({ config: { serverStatic: options } });
    const { pathname } = await stored(served, "images", ["images", png, "a.png"]);
    const { status, headers } = await fetch(served.origin + pathname, { headers: { range: "bytes=0-1" } });
    expect([status, headers.get("etag"), headers.get("last-modified"), headers.get("accept-ranges")]).toEqual([
      200,
      null,
      null,
      null,
    ]);
    expect([headers.get("cache-control"), headers.get("x-name")]).toEqual(["public, max-age=86400, immutable", ".png"]);
  });

  it("C34 declares no access rules without authentication, and its own with it", async () => {
    const declared = async (wiring: Wiring): Promise<unknown> => {
      const { app } = await serve({
        ...wiring,
        steps: [{ key: "authentication", handlers: () => [] }],
      });
      const { makeRouteTable } = await import("@servicekit/router");
      return Object.fromEntries(
        makeRouteTable(app.router).entries.flatMap(({ route }) =>
          route === undefined ? [] : [[route.origin.operation, route.config.authentication]],
        ),
      );
    };
    const right = (action: string) => ({ resource: "file-upload", action });
    expect(await declared({})).toEqual({ findFile: undefined, uploadFile: undefined, deleteFile: undefined });
    expect(await declared({ access: {} })).toEqual({
      findFile: false,
      uploadFile: right("Create"),
      deleteFile: right("Delete"),
    });
    const auth = { findFile: { rule: { roles: ["Reader"] } }, uploadFile: true, deleteFile: ["Editor"] };
    expect(await declared({ access: {}, module: { auth } })).toEqual({
      findFile: { ...right("View"), rule: { roles: ["Reader"] } },
      uploadFile: true,
      deleteFile: { ...right("Delete"), rule: { roles: ["Editor"] } },
    });
  });

  it("keeps restricted files out of shared caches", async () => {
    const steps = [{ key: "authentication", handlers: () => [] }];
    const served = await serve({ access: { findFile: true }, steps });
    const { pathname } = await stored(served, "images", ["images", png, "a.png"]);
    expect((await fetch(served.origin + pathname)).headers.get("cache-control")).toBe("private, max-age=0");
  });

  it("C47 has the documentation of its routes", async () => {
    const { app } = await serve({ config: { restrictions: { images: { maxCount: 3, maxSize: 77 } } } });
    const { makeRouteTable } = await import("@servicekit/router");
    const documents = makeRouteTable(app.router).entries.flatMap(({ route }) => route?.origin.documentation?.() ?? []);
    expect(documents.map(({ responses = {} }) => Object.keys(responses))).toEqual([
      ["200", "206", "304"],
      ["201"],
      ["204"],
    ]);
    const [, upload] = documents;
    expect(upload?.description).toContain("`images`: at most 3 files of 77 bytes");
    expect(Object.keys(upload?.requestBody?.content as object)).toEqual(["multipart/form-data"]);
    // Every documented code exists.
    const known = { ...uploadErrors, ...httpErrors } as Record<string, () => { status: number }>;
    for (const { status, code } of documents.flatMap(({ errors = [] }) => errors)) {
      expect([code, known[code]?.().status]).toEqual([code, status]);
    }
  });

  it("C44 serves the routes of the module before its own", async () => {
    const router = ServiceRouter();
    declareRoute(router, {
      method: "get",
      config: { path: "/images/latest" },
      handlers: [(_request, response) => void response.json({ data: "latest" })],
    });
    const served = await serve({ module: { router } });
    expect(await (await fetch(`${served.origin}/api/uploads/images/latest`)).json()).toEqual({ data: "latest" });
  });

  it("C44 reports the issues of the module", async () => {
    const module = {
      hooks: { beforeUploadFiles: () => undefined, afterFindFile: 7 },
      auht: {},
      auth: { uploadFiles: true, findFile: 7 },
    };
    const message = await serve({ module: module as never }).then(
      () => "It started.",
      (error: Error) => error.message,
    );
    for (const part of [
      "hooks.beforeUploadFiles: Unknown key. Did you mean beforeUploadFile?",
      "hooks.afterFindFile: found 7 (a number), expected a function or a list of functions.",
      "models.file-upload.auht: Unknown key. Did you mean auth?",
      "auth.uploadFiles: Unknown key. Did you mean uploadFile?",
      "auth.findFile: found 7 (a number), expected true, false, a list of roles or an object with rule.",
    ]) {
      expect(message).toContain(part);
    }
  });
});
