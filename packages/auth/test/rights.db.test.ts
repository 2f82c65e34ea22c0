import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { PrismaClient } from "./generated/static/client/client.js";
import { models as data } from "./generated/static/models.js";
import { type Opened, openFixture, type Served, serveAuth } from "./serve-auth.js";

let opened: Opened<PrismaClient>;
let open: Served;
let served: Served;

const password = "a long staple of horses";
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

beforeAll(async () => {
  opened = await openFixture(inject("postgresUrl"), "static", data, (options) => new PrismaClient(options));
  open = await serveAuth({ database: opened.database });
  const rights = { signup: ["EDITOR"], deleteMe: { rule: ["EDITOR"] }, getMe: true };
  served = await serveAuth({ database: opened.database, rights });
});

afterAll(async () => {
  for (const one of [open, served]) await one?.stop();
  await opened?.close();
});

async function tokenOf(username: string, role: "READER" | "EDITOR"): Promise<string> {
  await open.api.post("/api/auth/signup").send({ username, email: `${username}@example.com`, password });
  await opened.client.user.update({ where: { username }, data: { role } });
  return (await open.api.post("/api/auth/login").send({ username, password })).body.accessToken;
}

describe("the access settings of the module auth", () => {
  it("restrict sign-up to a role, and leave other routes unchanged", async () => {
    const [reader, editor] = [await tokenOf("rita", "READER"), await tokenOf("edith", "EDITOR")];
    const invite = (username: string) => ({ username, email: `${username}@example.com`, password });
    const signUp = (username: string) => served.api.post("/api/auth/signup").send(invite(username));
    expect((await signUp("nobody")).status).toBe(401);
    expect((await signUp("byReader").set(bearer(reader))).status).toBe(403);
    expect((await signUp("byeditor").set(bearer(editor))).status).toBe(201);
    expect((await served.api.post("/api/auth/login").send({ username: "byeditor", password })).status).toBe(200);
    expect((await served.api.get("/api/users/me").set(bearer(reader))).status).toBe(200);
    expect((await served.api.delete("/api/users/me").set(bearer(reader))).status).toBe(403);
    expect((await served.api.delete("/api/users/me").set(bearer(editor))).status).toBe(204);
  });

  it("cannot open routes that require a user, nor name unknown routes", async () => {
    await expect(serveAuth({ database: opened.database, rights: { updateMe: false } })).rejects.toThrow(
      "models.auth.auth.updateMe: Only signed-in users can do this",
    );
    await expect(serveAuth({ database: opened.database, rights: { signUp: true } as never })).rejects.toThrow(
      "models.auth.auth.signUp: Unknown key. Did you mean signup?",
    );
  });
});
