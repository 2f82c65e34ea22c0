import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { PrismaClient } from "../generated/grants/client/client.js";
import { models } from "../generated/grants/models.js";
import { openGrants, password } from "./serve-grants.js";

/** A password, as in Prisma's documentation, a text, and a unique field. */
const omit = { user: { password: true, nickname: true }, note: { ownerId: true }, team: { name: true } };

let grants: Awaited<ReturnType<typeof openGrants>>;
beforeAll(async () => {
  grants = await openGrants(inject("postgresUrl"));
});
afterAll(() => grants?.close());

const kinds = {
  "SQL engine": { database: { engine: "auto" as const }, extend: (client: PrismaClient) => client },
  "Prisma engine": { database: { engine: "prisma" as const }, extend: (client: PrismaClient) => client },
  "extended client": {
    database: {},
    extend: (client: PrismaClient) => client.$extends({ result: { note: {} } }) as unknown as PrismaClient,
  },
};

describe.each(Object.entries(kinds))("C94 omit of the Prisma client (%s)", (name, { database, extend }) => {
  let served: Awaited<ReturnType<typeof grants.start>>;
  let headers: Readonly<Record<string, string>>;
  const id = { user: 0, note: 0, team: 0 };
  const username = `ann ${name}`;
  const email = `${name.replaceAll(" ", ".")}@example.com`;
  beforeAll(async () => {
    const everything = { all: ["*"] } as const;
    served = await grants.start("static", {
      database: { models, client: ({ adapter }) => extend(new PrismaClient({ adapter, omit })), ...database },
      models: {
        User: { auth: everything, aggregate: true },
        Note: { auth: everything, aggregate: true, upsert: true },
        Team: { auth: everything },
      },
      mcp: { access: "write" },
    });
    const made = await served.call({}, "POST", "auth/signup", { username, email, nickname: "secret name", password });
    expect(made.status, JSON.stringify(made.body)).toBe(201);
    id.user = made.body.data.id;
    headers = await served.signIn(username);
    const team = await served.call(headers, "POST", "teams", { name: `secret ${name}` });
    expect([team.status, Object.keys(team.body.data)]).toEqual([201, ["id"]]);
    id.team = team.body.data.id;
    const note = await served.call(headers, "POST", "notes", { text: "t", ownerId: id.user });
    expect([note.status, Object.keys(note.body.data)]).toEqual([201, ["id", "text"]]);
    id.note = note.body.data.id;
  });
  afterAll(() => grants.closeAll());

  it("uses the expected engine", () => {
    expect(served.service.database?.engines.get("Note")?.engine).toBe(name === "SQL engine" ? "sql" : "prisma");
  });

  it("excludes the fields from every response", async () => {
    const requests: readonly (readonly [string, string, unknown?])[] = [
      ["GET", "users"],
      ["GET", `users/${id.user}`],
      ["GET", "notes?include=owner.notes"],
      ["GET", `users/${id.user}?include=notes,team`],
      ["PATCH", `users/${id.user}`, { nickname: "secret name", teamId: id.team }],
      ["PATCH", "users/many", [{ id: id.user, nickname: "secret name" }]],
      ["PATCH", `users/many?username=${encodeURIComponent(username)}`, { nickname: "secret name" }],
      ["POST", "notes/many", [{ text: "u", ownerId: id.user }]],
      ["PUT", `notes/${id.note}`, { text: "v", ownerId: id.user }],
      ["GET", "users/me"],
      ["GET", "teams?include=members"],
    ];
    for (const [method, path, body] of requests) {
      const response = await served.call(headers, method, path, body);
      expect([method, path, response.status < 300]).toEqual([method, path, true]);
      expect(JSON.stringify(response.body), `${method} ${path}`).not.toMatch(/secret|nickname|ownerId|"password"/);
    }
  });

  it("rejects them in queries like unknown fields", async () => {
    const queries = [
      "users?nickname=x",
      "users?nickname[contains]=x",
      "users?or[0][nickname]=x",
      "users?sort=nickname",
      "users?fields=nickname",
      "users?fields=-nickname",
      "notes?owner__nickname=x",
      "notes?sort=owner.nickname",
      "notes?sort=ownerId",
      "users/aggregate?groupBy=nickname",
      "users/aggregate?max=nickname",
      "notes/aggregate?groupBy=owner.nickname",
      "notes/aggregate?groupBy=ownerId",
    ];
    for (const query of queries) {
      const { status, body } = await served.call(headers, "GET", query);
      const [issue] = body.errors;
      expect([query, status, issue.code]).toEqual([query, 400, "UnknownField"]);
      expect(issue.message).toMatch(/^(User|Note) has no field (nickname|ownerId)\.( Did you mean owner(\.id)?\?)?$/);
    }
    expect((await served.call(headers, "GET", "users?search=secret")).body.data).toEqual([]);
  });

  it("excludes them from the document of responses and filters, from discovery and from MCP", async () => {
    // biome-ignore lint/suspicious/noExplicitAny: the parts of a document
    const { components, paths } = (await served.service.openapi()) as any;
    expect(Object.keys(components.schemas.User.properties)).not.toContain("nickname");
    expect(Object.keys(components.schemas.Note.properties)).not.toContain("ownerId");
    const parameters = JSON.stringify([paths["/api/users"].get, components.parameters]);
    expect(parameters).toContain('"username"');
    expect(parameters).not.toContain("nickname");
    const { body } = await served.call(headers, "GET", "available-resources");
    expect(JSON.stringify(body)).not.toMatch(/nickname|"password"/);
  });
});
