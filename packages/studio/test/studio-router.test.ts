import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { makeErrorHandler } from "@servicekit/router";
import express from "express";
import request from "supertest";
import { afterAll, describe, expect, it } from "vitest";
import { makeStudioRouter, type StudioOptions } from "../src/index.js";

/** A page as built. */
const directory = fs.mkdtempSync(path.join(os.tmpdir(), "servicekit-studio-"));
fs.mkdirSync(path.join(directory, "assets"));
fs.writeFileSync(path.join(directory, "assets", "main-1.js"), "import('./more-2.js');");
fs.writeFileSync(path.join(directory, "assets", "more-2.js"), "");
fs.writeFileSync(path.join(directory, "assets", "style-3.css"), "a{}");
fs.writeFileSync(path.join(directory, "secret.txt"), "not served");
const manifest = {
  "src/main.tsx": { file: "assets/main-1.js", isEntry: true },
  "src/more.tsx": { file: "assets/more-2.js" },
  "style.css": { file: "assets/style-3.css" },
};
fs.writeFileSync(path.join(directory, "manifest.json"), JSON.stringify(manifest));
afterAll(() => fs.rmSync(directory, { recursive: true, force: true }));

const open = (options: Partial<StudioOptions> = {}) =>
  express()
    .use(makeStudioRouter({ document: "/api/api-docs.json", signIn: null, directory, ...options }))
    .use(makeErrorHandler());

describe("C76 the page of the studio", () => {
  it("has the name of the application as its title, as text", async () => {
    const { text } = await request(open({ title: "Harbour & <Pine>" }))
      .get("/api/studio")
      .expect(200);
    expect(text).toContain("<title>Harbour &amp; &lt;Pine&gt;</title>");
    expect((await request(open()).get("/api/studio")).text).toContain("<title>Studio</title>");
  });

  it("runs only its own script, calls no other host, and cannot be framed", async () => {
    const { headers, text } = await request(open()).get("/api/studio").expect(200);
    const policy = String(headers["content-security-policy"]);
    const nonce = /script-src 'nonce-([\w-]{20,})'/.exec(policy)?.[1];
    expect(text).toContain(`<script type="module" nonce="${nonce}" src="studio/assets/main-1.js"></script>`);
    expect(text).toContain(`<link rel="stylesheet" href="studio/assets/style-3.css">`);
    expect(policy).not.toMatch(/unsafe|\*|https?:|script-src[^;]*'self'/);
    for (const rule of ["default-src 'none'", "connect-src 'self'", "frame-ancestors 'none'", "base-uri 'none'"]) {
      expect(policy).toContain(rule);
    }
    expect(headers).toMatchObject({
      "x-frame-options": "DENY",
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "cache-control": "no-store",
    });
    const again = await request(open()).get("/api/studio");
    expect(again.headers["content-security-policy"]).not.toBe(policy);
  });

  it("returns 404 with the build command if the page is not built", async () => {
    const app = open({ directory: path.join(directory, "missing") });
    for (const url of ["/api/studio", "/api/studio/assets/main-1.js"]) {
      const { body } = await request(app).get(url).expect(404);
      expect(body).toMatchObject({ code: "NotFound", detail: expect.stringContaining("npm run build") });
    }
  });

  it("escapes data that could end its script", async () => {
    const usernames = ["</script><script>alert(1)</script>"];
    const { text } = await request(open({ signIn: { usernames, isDynamic: false } })).get("/api/studio");
    expect(text).not.toContain("<script>alert");
    const data = /id="page-data">(.*)<\/script>/.exec(text)?.[1] ?? "";
    expect(JSON.parse(data)).toEqual({
      path: "/api/studio",
      title: "Studio",
      document: "/api/api-docs.json",
      signIn: { usernames, isDynamic: false },
    });
  });

  it("has links that work below a prefix, so it redirects a trailing slash", async () => {
    const { headers } = await request(open()).get("/api/studio/").expect(308);
    expect(headers.location).toBe("../studio");
  });

  it("serves its files with unlimited caching, and no other file", async () => {
    const file = await request(open()).get("/api/studio/assets/main-1.js").expect(200);
    expect(file.headers["cache-control"]).toBe("public, max-age=31536000, immutable");
    expect(file.headers["x-content-type-options"]).toBe("nosniff");
    for (const name of ["nothing.js", "..%2Fsecret.txt", "..%2f..%2fpackage.json", "manifest.json", "constructor"]) {
      await request(open()).get(`/api/studio/assets/${name}`).expect(404);
    }
    await request(open()).post("/api/studio").expect(404);
  });
});

const built = path.join(import.meta.dirname, "..", "dist", "page");
const isBuilt = fs.existsSync(path.join(built, "manifest.json"));
if (!isBuilt) console.warn("The sizes of the studio are not measured: its page is not built (npm run build).");

describe.skipIf(!isBuilt)("C76 the built page", () => {
  interface Built {
    readonly file: string;
    readonly isEntry?: boolean;
    readonly imports?: readonly string[];
  }
  const files = isBuilt
    ? (JSON.parse(fs.readFileSync(path.join(built, "manifest.json"), "utf8")) as Record<string, Built>)
    : {};
  const sizeOf = (file: string): number => gzipSync(fs.readFileSync(path.join(built, file))).length;
  /** The file of the build that the browser loads for an entry. */
  const loadedBy = (name: string, seen = new Set<string>()): ReadonlySet<string> => {
    if (seen.has(name)) return seen;
    seen.add(name);
    for (const each of files[name]?.imports ?? []) loadedBy(each, seen);
    return seen;
  };

  it("is under 400 KB (gzip) for its first view with the table", () => {
    const loaded = new Set([...loadedBy("src/main.tsx"), ...loadedBy("src/features/table-page.tsx")]);
    const scripts = [...loaded].map((name) => files[name]?.file ?? "");
    const styles = Object.values(files).flatMap(({ file }) => (file.endsWith(".css") ? [file] : []));
    const bytes = [...scripts, ...styles].reduce((sum, file) => sum + sizeOf(file), 0);
    console.log(`studio: ${Math.round(bytes / 1e3)} KB (gzip) for the first view with a table`);
    expect(bytes).toBeLessThan(400e3);
  });

  it("uses no eval, and includes the licences of its libraries", () => {
    for (const { file } of Object.values(files)) {
      if (!file.endsWith(".js")) continue;
      expect(fs.readFileSync(path.join(built, file), "utf8"), file).not.toMatch(/\beval\(|new Function\(/);
    }
    expect(fs.readFileSync(path.join(built, "LICENSES.md"), "utf8")).toContain("react-dom");
  });
});
