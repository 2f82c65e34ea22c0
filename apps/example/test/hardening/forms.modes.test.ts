import { mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import {
  type AccountDatabase,
  type AccountShop,
  bearer,
  createAccountDatabase,
  startAccounts,
} from "../accounts/account-shop.js";
import { pixel } from "../pixel.js";
import { inside, sendRaw } from "./send-raw.js";

describe.each(inject("accounts"))("with %s accounts", (accounts) => {
  const folder = mkdtempSync(path.join(tmpdir(), "hardening-forms-"));
  let database: AccountDatabase;
  let shop: AccountShop;
  let token: string;
  beforeAll(async () => {
    database = await createAccountDatabase();
    shop = await startAccounts({ database, accounts, config: { fileUpload: { baseUploadDir: folder } } });
    token = await shop.tokenOf("root");
  });
  afterAll(async () => {
    await shop?.close();
    await database?.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** As a superuser. */
  const send = (method: string, target: string, headers: Record<string, string> = {}, body?: Buffer | string) =>
    sendRaw(shop.url, method, target, { ...bearer(token), ...headers }, body);
  const alive = async () => expect((await fetch(`${shop.url}/api/health/live`)).status).toBe(200);
  const files = () =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => name);

  describe("hostile forms", () => {
    const line = "\r\n";
    const field = (name: string, value = "1") => `Content-Disposition: form-data; name="${name}"${line}${line}${value}`;
    const file = (fileName: string, content: string | Buffer = pixel) =>
      `Content-Disposition: form-data; name="file"; filename="${fileName}"${line}Content-Type: image/png${line}${line}${content.toString("latin1")}`;
    const form = (...parts: readonly string[]) =>
      Buffer.from(`${parts.map((part) => `--b${line}${part}${line}`).join("")}--b--${line}`, "latin1");
    const upload = (body: Buffer, target = "/api/uploads/images", type = "multipart/form-data; boundary=b") =>
      send("POST", target, { "content-type": type }, body);

    it.each<[string, Buffer, number]>([
      ["indices that block other parsers", form(field("a[4294967294]"), field("a[x]")), 400],
      ["a huge index", form(field("a[99999999]")), 400],
      ["sixty levels", form(field(`a${"[b]".repeat(60)}`)), 400],
      ["a prototype key", form(field("__proto__[admin]")), 400],
      ["a prototype key inside", form(field("a[b]"), field("a[__proto__][x]")), 400],
      ["a nameless field", form(`Content-Disposition: form-data${line}${line}1`), 400],
      ["201 fields", form(...Array.from({ length: 201 }, (_, at) => field(`a${at}`))), 413],
      ["a truncated form", form(file("a.png")).subarray(0, 150), 400],
      ["a form without parts", Buffer.from("nothing"), 400],
      ["a second file that is not an image", form(file("a.png"), file("b.png", "text")), 415],
      ["an HTML page with the media type of an image", form(file("a.png", "<script>alert(1)</script>")), 415],
      ["an extension that is not allowed", form(file("a.exe")), 415],
    ])("%s is rejected, and leaves no file", async (_, body, expected) => {
      const before = files();
      const response = await upload(body);
      expect([response.status, response.text.match(inside)], response.text).toEqual([expected, null]);
      expect(files()).toEqual(before);
      await alive();
    });

    it("no name of a client becomes a path", async () => {
      for (const name of [
        "../../../evil.png",
        "..%2Fevil.png",
        "C:\\\\evil.png",
        "evil.html\\u0000.png",
        ".htaccess.png",
      ]) {
        const response = await upload(form(file(name)));
        expect([201, 400, 415]).toContain(response.status);
        if (response.status !== 201) continue;
        const { name: stored, pathname, url } = JSON.parse(response.text).data;
        expect(`${stored} ${pathname} ${url}`).not.toMatch(/evil|htaccess|\.\./);
      }
      expect(files().filter((name) => /evil|htaccess/.test(name))).toEqual([]);
    });

    it("no path leads out of the folder, and no link is followed", async () => {
      const outside = path.join(folder, "..", `${path.basename(folder)}.txt`);
      writeFileSync(outside, "outside");
      const stored = await upload(form(file("a.png")));
      const pathname = JSON.parse(stored.text).data.pathname as string;
      const cached = path.dirname(
        path.join(
          folder,
          readdirSync(folder, { recursive: true })
            .map(String)
            .find((name) => name.endsWith(path.basename(pathname))) ?? "",
        ),
      );
      symlinkSync(outside, path.join(cached, "link.png"));
      for (const name of [
        "link.png",
        "..%2f..%2fpackage.json",
        "%2e%2e/%2e%2e/etc/passwd",
        "a.png%00",
        "..\\\\a.png",
        ".x",
      ]) {
        const response = await send("GET", `/api/uploads/images/${name}`);
        expect([400, 404]).toContain(response.status);
        expect(response.text).not.toMatch(/outside|root:/);
      }
      rmSync(outside);
      rmSync(path.join(cached, "link.png"));
    });
  });

  it("names in a form do not change a prototype", async () => {
    const body = new FormData();
    body.append("constructor[prototype][polluted]", "1");
    body.append("__proto__[polluted]", "1");
    const response = await fetch(`${shop.url}/api/uploads/images`, {
      ...{ method: "POST", body, headers: { authorization: `Bearer ${token}` } },
    });
    expect(response.status).toBe(400);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});
