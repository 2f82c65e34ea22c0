import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { Server } from "node:http";
import { join } from "node:path";
import request from "supertest";
import { afterAll, expect, it, vi } from "vitest";
import { freePort } from "../../../scripts/test/free-port.js";

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
const guide = readFileSync(new URL("../../../docs/guides/from-express.md", import.meta.url), "utf8");
const snippetsOf = (page: string) => [...page.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code = ""]) => code);
const [example = "", bound = ""] = snippetsOf(readme);
const [plain = "", declared = ""] = snippetsOf(guide);
const folder = mkdtempSync(new URL("./.readme-", import.meta.url).pathname);
const servers: Server[] = [];
afterAll(() => {
  for (const server of servers) server.close();
  rmSync(folder, { recursive: true });
});

/** Runs a snippet, which starts a server at port 3000, on a free port. */
async function run(snippet: string): Promise<Server> {
  const file = join(folder, `snippet-${servers.length}.ts`);
  const code = snippet
    .replace(/"@servicekit\/(router|service)"/, '"../../src/index.js"')
    .replace(/\b3000\b/g, String(await freePort()));
  writeFileSync(file, `${code}\nexport { server };\n`);
  const { server } = (await import(/* @vite-ignore */ file)) as { server: Server };
  servers.push(server);
  return server;
}

it("prints the documented output when the first block of the README runs", { timeout: 300_000 }, async () => {
  const [, output = ""] = /```text\n([\s\S]*?)```/.exec(readme) ?? [];
  const printed: string[] = [];
  const log = vi.spyOn(console, "log").mockImplementation((...words: unknown[]) => void printed.push(words.join(" ")));
  await run(example);
  log.mockRestore();
  expect(printed.join("\n")).toBe(output.trim());
});

it("responds alike from the plain and the declared route of the guide for Express applications", async () => {
  const ofPlain = `${plain}\nconst server = express().use(router).listen(3000);`;
  const ofDeclared = `import express from "express";
    import { makeErrorHandler } from "../../src/index.js";
    ${declared}
    const server = express().use(articles).use(makeErrorHandler()).listen(3000);`;
  for (const server of [await run(ofPlain), await run(ofDeclared)]) {
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

it("runs the bound application of the README", async () => {
  const server = await run(bound);
  expect((await request(server).get("/api/articles?year__gte=2000")).body).toEqual({ query: { year: { gte: 2000 } } });
  expect((await request(server).post("/api/webhooks/payment").type("json").send('{ "a" : 1 }')).body).toEqual({
    bytes: 11,
  });
  expect((await request(server).put("/api/articles")).headers.allow).toBe("GET, HEAD");
});
