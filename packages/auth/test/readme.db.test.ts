import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { Server } from "node:http";
import path from "node:path";
import request from "supertest";
import { expect, inject, it } from "vitest";
import { createPushedDatabase } from "../../../scripts/test/template-database.js";

it("the first snippet of the README signs up, logs in and asks who may", async () => {
  const created = await createPushedDatabase(inject("postgresUrl"), path.join(import.meta.dirname, "fixtures/static"));
  const readme = readFileSync(path.join(import.meta.dirname, "../README.md"), "utf8");
  const [, snippet = ""] = /```ts\n([\s\S]*?)```/.exec(readme) ?? [];
  const folder = mkdtempSync(path.join(import.meta.dirname, ".readme-"));
  const file = path.join(folder, "snippet.ts");
  const code = snippet
    .replace('"@servicekit/auth"', '"../../src/index.js"')
    .replace("./generated/prisma/client.js", "../generated/static/client/client.js")
    .replace("./generated/service/models.js", "../generated/static/models.js")
    .replace("process.env.DATABASE_URL", JSON.stringify(created.url))
    .replace("process.env.JWT_SECRET", JSON.stringify("a secret for the snippet of the README"))
    .replace(".listen(3000)", ".listen(0)");
  writeFileSync(file, `${code}\nexport { server, client };\n`);
  const { server, client } = (await import(/* @vite-ignore */ file)) as {
    server: Server;
    client: { $disconnect(): Promise<void> };
  };
  try {
    const credentials = { username: "alice", password: "correct horse" };
    const api = request(server);
    const signup = await api.post("/api/auth/signup").send({ ...credentials, email: "alice@example.com" });
    expect([signup.status, signup.body.data?.username]).toEqual([201, "alice"]);
    const { accessToken } = (await api.post("/api/auth/login").send(credentials)).body;
    const bearer = { authorization: `Bearer ${accessToken}` };
    expect((await api.get("/api/drafts").set(bearer)).body).toEqual({ data: [], for: signup.body.data.id });
    expect((await api.get("/api/drafts")).status).toBe(401);
    expect((await api.post("/api/pages").set(bearer)).status).toBe(403);
  } finally {
    server.close();
    await client.$disconnect();
    await created.drop();
    rmSync(folder, { recursive: true });
  }
});
