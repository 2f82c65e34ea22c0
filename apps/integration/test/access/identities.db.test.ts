import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { callerOf, identityOf, ServiceRouter, userIdOf } from "@servicekit/service";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { makeKey, startIssuer } from "../../../../scripts/test/fake-issuer.js";
import { openGrants, password } from "./serve-grants.js";

type Issuer = Awaited<ReturnType<typeof startIssuer>>;
type Credentials = Readonly<Record<string, string>>;

const bearer = (token: string): Credentials => ({ authorization: `Bearer ${token}` });
const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==",
  "base64",
);

describe("C86 callers of three issuers with the same id", () => {
  let grants: Awaited<ReturnType<typeof openGrants>>;
  let served: Awaited<ReturnType<typeof grants.start>>;
  let issuers: readonly Issuer[];
  let directory: string;
  let id: number;
  let account: Credentials;
  let others: readonly Credentials[];

  beforeAll(async () => {
    directory = await mkdtemp(path.join(tmpdir(), "identities-"));
    issuers = await Promise.all(["one", "two"].map((kid) => startIssuer(makeKey(kid))));
    grants = await openGrants(inject("postgresUrl"));
    const who = ServiceRouter();
    who.get({ path: "/api/who", authentication: true }, (request, response) => {
      const caller = callerOf(request);
      response.json({ identity: caller && identityOf(caller), user: userIdOf(request) ?? null });
    });
    served = await grants.start(
      "static",
      {
        fileUpload: { baseUploadDir: directory },
        use: [who],
        models: {
          Note: { auth: { all: true, where: (request) => ({ ownerId: Number(userIdOf(request) ?? 0) }) } },
          Team: { auth: { all: true } },
          "file-upload": { auth: { uploadFile: true, deleteFile: true } },
        },
      },
      {
        issuers: issuers.map(({ issuer }) => ({
          issuer,
          audience: "shop",
          user: ({ sub }) => ({ id: Number(sub) }),
        })),
      },
    );
  });
  afterAll(async () => {
    await grants?.close();
    await Promise.all((issuers ?? []).map((issuer) => issuer.close()));
    await rm(directory, { recursive: true, force: true });
  });

  beforeEach(async () => {
    const rows = grants.rows();
    await rows.user.deleteMany();
    await rows.team.deleteMany();
    const body = { username: "ada", email: "ada@example.com", password };
    expect((await served.call({}, "POST", "auth/signup", body)).status).toBe(201);
    ({ id } = await rows.user.findFirstOrThrow());
    account = await served.signIn("ada");
    others = issuers.map((issuer) => bearer(issuer.sign({ sub: String(id) })));
  });

  it("C86 own their files separately", async () => {
    const all = [account, ...others];
    for (const owner of all) {
      const form = new FormData();
      form.append("images", new Blob([png], { type: "image/png" }), "a.png");
      const sent = await fetch(`${served.service.url}/api/uploads/images`, {
        method: "POST",
        headers: owner,
        body: form,
      });
      expect(sent.status).toBe(201);
      const { data } = (await sent.json()) as { data: { pathname: string } };
      const file = data.pathname.replace("/api/", "");
      for (const other of all.filter((one) => one !== owner)) {
        expect((await served.call(other, "DELETE", file)).status).toBe(404);
      }
      expect((await served.call(owner, "DELETE", file)).status).toBe(204);
    }
  });

  it("C86 match no account in a foreign key, and reach no row of it", async () => {
    const note = { text: "mine", ownerId: id };
    const own = await served.call(account, "POST", "notes", note);
    expect(own.status, JSON.stringify(own.body)).toBe(201);
    for (const other of others) {
      const reply = await served.call(other, "POST", "notes", note);
      expect([reply.status, reply.body.code]).toEqual([400, "RelatedRecordNotFound"]);
      const many = await served.call(other, "POST", "notes/many", [note]);
      expect([many.status, many.body.code]).toEqual([400, "RelatedRecordNotFound"]);
      expect((await served.call(other, "GET", "notes")).body.data).toEqual([]);
      expect((await served.call(other, "DELETE", `notes/${own.body.data.id}`)).status).toBe(404);
      expect((await served.call(other, "GET", "users/me")).status).toBe(403);
    }
  });

  it("C86 share no idempotency key", async () => {
    const names = new Set<string>();
    for (const [index, caller] of [account, ...others].entries()) {
      const headers = { ...caller, "idempotency-key": "same" };
      const reply = await served.call(headers, "POST", "teams", { name: `team ${index}` });
      expect(reply.status).toBe(201);
      names.add(reply.body.data.name);
    }
    expect(names.size).toBe(3);
  });

  it("C86 have three identities, and one of them is a user", async () => {
    const reported = await Promise.all(
      [account, ...others].map(async (caller) => (await served.call(caller, "GET", "who")).body),
    );
    expect(new Set(reported.map(({ identity }) => identity)).size).toBe(3);
    expect(reported.map(({ user }) => user)).toEqual([id, null, null]);
    const lines = () => grants.logged().filter(({ route }) => route === "/api/who");
    await expect.poll(() => lines().length).toBe(3);
    expect(new Set(lines().map(({ userId, issuer }) => `${userId} ${issuer}`))).toEqual(
      new Set([`${id} undefined`, ...issuers.map(({ issuer }) => `${id} ${issuer}`)]),
    );
  });
});
