import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { Server } from "node:http";
import path from "node:path";
import request from "supertest";
import { expect, inject, it } from "vitest";
import { createPushedDatabase } from "../../../scripts/test/template-database.js";

it("the first snippet of the README serves the schema of a blog", async () => {
  const created = await createPushedDatabase(inject("postgresUrl"), path.join(import.meta.dirname, "fixtures/blog"));
  const readme = readFileSync(path.join(import.meta.dirname, "../README.md"), "utf8");
  const [, snippet = ""] = /```ts\n([\s\S]*?)```/.exec(readme) ?? [];
  const folder = mkdtempSync(path.join(import.meta.dirname, ".readme-"));
  const file = path.join(folder, "snippet.ts");
  const code = snippet
    .replace('"@servicekit/model-router"', '"../../src/index.js"')
    .replace("./generated/prisma/client.js", "../generated/blog/client/client.js")
    .replace("./generated/service/models.js", "../generated/blog/models.js")
    .replace("process.env.DATABASE_URL", JSON.stringify(created.url))
    .replace(".listen(3000)", ".listen(0)");
  writeFileSync(file, `${code}\nexport { server, client };\n`);
  const { server, client } = (await import(/* @vite-ignore */ file)) as {
    server: Server;
    client: { $disconnect(): Promise<void> };
  };
  try {
    const posted = await request(server).post("/api/posts").send({ title: "Hello", views: 3 });
    expect([posted.status, posted.headers.location]).toEqual([201, "/api/posts/1"]);
    const list = await request(server).get("/api/posts?title__icontains=HELL&views__gte=2&sort=-views&fields=id,title");
    expect(list.body.data).toEqual([{ id: 1, title: "Hello" }]);
    expect((await request(server).patch("/api/posts/1").send({ title: "Bye" })).body.data.title).toBe("Bye");
    expect((await request(server).delete("/api/posts/1")).status).toBe(204);
    expect((await request(server).get("/api/posts/1")).body).toMatchObject({ status: 404, code: "NotFound" });
  } finally {
    server.close();
    await client.$disconnect();
    await created.drop();
    rmSync(folder, { recursive: true });
  }
});
