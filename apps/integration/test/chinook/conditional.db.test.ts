import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { type Chinook, hasChinook, startChinook } from "./chinook.js";

describe.skipIf(!hasChinook)("C16 conditional requests through the complete service", () => {
  let chinook: Chinook;
  beforeAll(async () => {
    chinook = await startChinook(inject("postgresUrl"), {
      middlewares: { requestLogger: false, compression: { threshold: 0 } },
    });
  });
  afterAll(() => chinook?.close());

  const send = (method: string, headers: Record<string, string>, body?: unknown) =>
    fetch(`${chinook.service.url}/api/genres/1`, {
      method,
      headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });

  it.each(["gzip", "br", "identity"])("work with responses in %s", async (coding) => {
    const accept = { "accept-encoding": coding };
    const read = await send("GET", accept);
    const tag = read.headers.get("etag") ?? "";
    expect(read.headers.get("content-encoding")).toBe(coding === "identity" ? null : coding);
    expect(tag).toMatch(coding === "identity" ? /^"[\w-]{27}"$/ : new RegExp(`-${coding}"$`));
    const again = await send("GET", { ...accept, "if-none-match": tag });
    expect([again.status, again.headers.get("etag"), await again.text()]).toEqual([304, tag, ""]);
    const statuses = await Promise.all(
      [1, 2, 3].map(
        async (n) => (await send("PATCH", { ...accept, "if-match": tag }, { name: `${coding} ${n}` })).status,
      ),
    );
    expect(statuses.sort()).toEqual([200, 412, 412]);
    const head = await send("HEAD", { "accept-encoding": "identity" });
    expect(head.headers.get("etag")).toBe((await send("GET", { "accept-encoding": "identity" })).headers.get("etag"));
  });
});
