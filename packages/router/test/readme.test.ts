import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { Server } from "node:http";
import { join } from "node:path";
import request from "supertest";
import { afterAll, expect, it, vi } from "vitest";
import { freePort } from "../../../scripts/test/free-port.js";

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
const snippets = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].map((match) => match[1] as string);
const folder = mkdtempSync(new URL("./.readme-", import.meta.url).pathname);
const servers: Server[] = [];
afterAll(() => {
  for (const server of servers) server.close();
  rmSync(folder, { recursive: true });
});

/** Runs a snippet as it is written, on a free port. */
async function run(index: number): Promise<Server> {
  const file = join(folder, `snippet-${index}.ts`);
  const code = (snippets[index] ?? "")
    .replace('"@servicekit/router"', '"../../src/index.js"')
    .replace(/\b3000\b/g, String(await freePort()));
  writeFileSync(file, `${code}\nexport { server };\n`);
  const { server } = (await import(/* @vite-ignore */ file)) as { server: Server };
  servers.push(server);
  return server;
}

it("the first snippet of the README prints what it says", { timeout: 300_000 }, async () => {
  const [, output = ""] = /```text\n([\s\S]*?)```/.exec(readme) ?? [];
  const printed: string[] = [];
  const log = vi.spyOn(console, "log").mockImplementation((...words: unknown[]) => void printed.push(words.join(" ")));
  await run(0);
  log.mockRestore();
  expect(printed.join("\n")).toBe(output.trim());
});

it("the route of Express and the declared one of the README do the same", async () => {
  for (const server of [await run(1), await run(2)]) {
    const good = await request(server).post("/articles").send({ title: "T" });
    expect([good.status, good.body]).toEqual([201, { title: "T", tags: [] }]);
    expect((await request(server).post("/articles").send({ title: 1 })).status).toBe(400);
    expect(
      (
        await request(server)
          .post("/articles")
          .send({ title: "x".repeat(200_000) })
      ).status,
    ).toBe(413);
  }
});

it("the bound application of the README runs", async () => {
  const server = await run(3);
  expect((await request(server).get("/api/articles?year__gte=2000")).body).toEqual({ query: { year: { gte: 2000 } } });
  expect((await request(server).post("/api/webhooks/payment").type("json").send('{ "a" : 1 }')).body).toEqual({
    bytes: 11,
  });
  expect((await request(server).put("/api/articles")).headers.allow).toBe("GET, HEAD");
});
