import { ServiceRouter } from "@servicekit/service";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { openGrants, password } from "./serve-grants.js";

let grants: Awaited<ReturnType<typeof openGrants>>;
let call: (name: string, given: object) => Promise<{ isError?: boolean; content: { text: string }[] }>;
const reached: string[] = [];

beforeAll(async () => {
  grants = await openGrants(inject("postgresUrl"));
  const router = ServiceRouter();
  router.get({ path: "/api/places/:place/inside", authentication: true, mcp: true }, (request, response) => {
    reached.push(String(request.params.place));
    response.json({});
  });
  router.use((request, _response, next) => {
    reached.push(request.path);
    next();
  });
  const served = await grants.start("static", {
    mcp: { access: "write" },
    use: [router],
    models: { Team: { auth: { all: true } } },
  });
  const body = { username: "ada", email: "ada@example.com", password };
  expect((await served.call({}, "POST", "auth/signup", body)).status).toBe(201);
  const headers = { ...(await served.signIn("ada")), accept: "application/json, text/event-stream" };
  await grants.rows().team.createMany({ data: [{ name: "red" }, { name: "blue" }] });
  call = async (name, given) => {
    const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: given } };
    return (await served.call(headers, "POST", "mcp", message)).body.result;
  };
});
afterAll(() => grants?.close());

it.each(["", ".", "..", [""], ["."], [".."]])(
  "C75 a tool rejects the key %j, which leaves the path of rows",
  async (key) => {
    reached.length = 0;
    for (const [name, more] of [
      ["read", {}],
      ["update", { data: { name: "x" } }],
      ["delete", {}],
    ] as const) {
      const reply = await call(name, { resource: "teams", key, ...more });
      expect([reply.isError, reply.content[0]?.text]).toEqual([
        true,
        expect.stringContaining("cannot be part of a path"),
      ]);
    }
    expect(await grants.rows().team.count({ where: { name: { in: ["red", "blue"] } } })).toBe(2);
  },
);

it.each(["", ".", ".."])("C75 a tool of a declared route rejects the parameter %j", async (place) => {
  reached.length = 0;
  const reply = await call("get_places_inside", { params: { place } });
  expect([reply.isError, reply.content[0]?.text]).toEqual([true, expect.stringContaining("cannot be a path segment")]);
  expect(reached).not.toContain("/api/places/inside");
  expect((await call("get_places_inside", { params: { place: "a" } })).isError).not.toBe(true);
});
