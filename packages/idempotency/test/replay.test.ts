import { type DeclaredRoute, preventStorage } from "@servicekit/router";
import type { RequestHandler } from "express";
import { afterEach, describe, expect, it } from "vitest";
import { type IdempotencyOptions, type KeyStore, makeIdempotency, makeMemoryKeys } from "../src/index.js";
import { codeOf, type Served, serveKeyed } from "./serve-keyed.js";

const served: Served[] = [];
afterEach(async () => {
  for (const one of served.splice(0)) await one.close();
});

/** Serves one route, and counts how often its handler runs. */
async function serve(handler: RequestHandler, options: Partial<IdempotencyOptions> = {}) {
  const runs = { count: 0 };
  const counted: RequestHandler = (request, response, next) => {
    runs.count++;
    return handler(request, response, next);
  };
  const one = await serveKeyed({ "/orders": counted }, options);
  served.push(one);
  return { ...one, runs, post: (sending: Parameters<Served["send"]>[2]) => one.send("POST", "/orders", sending) };
}

const created: RequestHandler = (_request, response) => void response.status(201).json({ id: 1 });
/** Responds with the status that the body contains. */
const asAsked: RequestHandler = (request, response) => void response.status(request.body.status).json({ made: true });

describe("C49 a repeated request", () => {
  it("C49 receives the stored status, headers and body, but no cookie and no header of the connection", async () => {
    const { post, runs } = await serve((_request, response) => {
      response.cookie("session", "secret").set("X-Made", "once").location("/orders/1").status(201).json({ id: 1 });
    });
    const [first, second] = [await post({ key: "a", body: {} }), await post({ key: "a", body: {} })];
    expect(first).toMatchObject({ status: 201, text: '{"id":1}', replayed: false });
    expect(second).toMatchObject({ status: 201, text: '{"id":1}', replayed: true });
    for (const name of ["x-made", "location", "content-type", "content-length"])
      expect(second.headers.get(name), name).toBe(first.headers.get(name));
    expect([first.headers.has("set-cookie"), second.headers.has("set-cookie")]).toEqual([true, false]);
    expect(runs.count).toBe(1);
  });

  it("C49 runs again without the header, and with another key", async () => {
    const { post, runs } = await serve(created);
    for (const sending of [{}, {}, { key: "a" }, { key: "b" }]) {
      expect(await post({ body: {}, ...sending })).toMatchObject({ status: 201, replayed: false });
    }
    expect(runs.count).toBe(4);
  });

  it("C49 receives the same bytes when the response was written in pieces or is no text", async () => {
    const bytes = Buffer.from([0xff, 0x00, 0xfe]);
    const { post } = await serve((_request, response) => {
      response.writeHead(200, "Fine", { "Content-Type": "application/octet-stream", "X-Head": "set" });
      response.write("61", "hex");
      response.write(bytes);
      response.end("z");
    });
    const [first, second] = [await post({ key: "a" }), await post({ key: "a" })];
    expect(first.text).toBe(Buffer.concat([Buffer.from("a"), bytes, Buffer.from("z")]).toString("utf8"));
    expect(second).toMatchObject({ text: first.text, replayed: true });
    expect(second.headers.get("x-head")).toBe("set");
    expect(second.headers.get("content-length")).toBe("5");
  });

  it("C49 receives an empty response again", async () => {
    const { post, runs } = await serve((_request, response) => void response.status(204).end());
    expect((await post({ key: "a" })).status).toBe(204);
    expect(await post({ key: "a" })).toMatchObject({ status: 204, text: "", replayed: true });
    expect(runs.count).toBe(1);
  });

  it.each([200, 201, 299, 300, 400, 404, 409, 422, 499])(
    "C49 of a declared route with status %i is stored",
    async (status) => {
      const { post, runs } = await serve(asAsked);
      await post({ key: "a", body: { status } });
      expect(await post({ key: "a", body: { status } })).toMatchObject({ status, replayed: true });
      expect(runs.count).toBe(1);
    },
  );

  it.each([401, 403, 408, 425, 429, 500, 503])("C49 of a declared route with status %i runs again", async (status) => {
    const { post, runs } = await serve(asAsked);
    await post({ key: "a", body: { status } });
    expect(await post({ key: "a", body: { status } })).toMatchObject({ status, replayed: false });
    expect(runs.count).toBe(2);
  });

  it("C49 that timed out stays in progress, because its handler may still be running", async () => {
    const { post, runs } = await serve(asAsked);
    await post({ key: "a", body: { status: 504 } });
    const second = await post({ key: "a", body: { status: 504 } });
    expect([second.status, codeOf(second), second.headers.get("retry-after")]).toEqual([409, "RequestInProgress", "1"]);
    expect(runs.count).toBe(1);
  });

  it("C49 is 409 with Retry-After while the first one runs", async () => {
    let finish = (): void => {};
    const { post } = await serve((_request, response) => {
      finish = () => void response.status(201).json({});
    });
    const first = post({ key: "a" });
    await expect.poll(async () => (await post({ key: "a" })).status).toBe(409);
    finish();
    expect((await first).status).toBe(201);
    expect(await post({ key: "a" })).toMatchObject({ status: 201, replayed: true });
  });

  it.each([
    ["body", {}, { body: { product: "milk" } }],
    ["roles", {}, { roles: ["EDITOR"] }],
    ["superuser status", {}, { superUser: true }],
  ])("C49 with another %s is 422", async (_what, _nothing, other) => {
    const { post } = await serve(created);
    const sending = { key: "a", user: 1, roles: ["CLERK"], body: { product: "tea" } };
    expect((await post(sending)).status).toBe(201);
    const second = await post({ ...sending, ...other });
    expect([second.status, codeOf(second)]).toEqual([422, "IdempotencyKeyReused"]);
  });

  it("C49 with another method or query is 422", async () => {
    const { send } = await serve(created);
    await send("POST", "/orders", { key: "a" });
    for (const [method, path] of [
      ["PATCH", "/orders"],
      ["POST", "/orders?fields=id"],
    ] as const) {
      expect(codeOf(await send(method, path, { key: "a" })), `${method} ${path}`).toBe("IdempotencyKeyReused");
    }
  });

  it("C49 compares permissions and roles independently of their order", async () => {
    let permissions = ["b", "a"];
    const { post } = await serve(created, { permissionsOf: () => permissions });
    await post({ key: "a", user: 1, roles: ["Y", "X"] });
    permissions = ["a", "b"];
    expect((await post({ key: "a", user: 1, roles: ["X", "Y"] })).replayed).toBe(true);
    permissions = ["a"];
    expect(codeOf(await post({ key: "a", user: 1, roles: ["X", "Y"] }))).toBe("IdempotencyKeyReused");
  });

  it("C49 belongs to one caller: another user and an anonymous client have their own keys", async () => {
    const { post, runs } = await serve(created);
    for (const user of [1, 2, undefined]) {
      const sending = { key: "a", ...(user === undefined ? {} : { user }) };
      expect((await post(sending)).replayed).toBe(false);
      expect((await post(sending)).replayed).toBe(true);
    }
    expect(runs.count).toBe(3);
  });
});

describe("C49 the header Idempotency-Key", () => {
  it.each(["x".repeat(255), "!", "~", '"quoted"'])("C49 accepts %s", async (key) => {
    const { post } = await serve(created);
    expect((await post({ key })).status).toBe(201);
  });

  it("C49 is the same key with and without the quotes of a structured field", async () => {
    const { post } = await serve(created);
    await post({ key: '"one"' });
    expect((await post({ key: "one" })).replayed).toBe(true);
  });

  it.each(["", '""', "x".repeat(256), "two words", "caf\u00e9", '"two words"'])(
    "C49 rejects %s with 400",
    async (key) => {
      const { post, runs } = await serve(created);
      const sent = await post({ key });
      expect([sent.status, codeOf(sent)]).toEqual([400, "InvalidIdempotencyKey"]);
      expect(runs.count).toBe(0);
    },
  );

  it("C49 is rejected on a form with files", async () => {
    const { post, runs } = await serve(created);
    const sent = await post({ key: "a", headers: { "content-type": " Multipart/form-data; boundary=x" } });
    expect([sent.status, codeOf(sent), runs.count]).toEqual([400, "IdempotencyKeyOfForm", 0]);
  });
});

describe("C49 limits of what is stored", () => {
  const long = (length: number): RequestHandler => {
    return (_request, response) =>
      void response.status(201).location("/orders/1").type("text").send("x".repeat(length));
  };

  it("C49 a body of maxBytes is stored, a longer one is 409 with its Location and runs only once", async () => {
    const exact = await serve(long(100), { maxBytes: 100 });
    await exact.post({ key: "a" });
    expect(await exact.post({ key: "a" })).toMatchObject({ status: 201, replayed: true });

    const longer = await serve(long(101), { maxBytes: 100 });
    expect((await longer.post({ key: "a" })).text).toHaveLength(101);
    const second = await longer.post({ key: "a" });
    expect([second.status, codeOf(second), second.headers.get("location")]).toEqual([
      409,
      "ResponseNotStored",
      "/orders/1",
    ]);
    expect(longer.runs.count).toBe(1);
  });

  it("C49 a response that must not be stored is not, and the repeated request gets 409 with its location", async () => {
    const stored: unknown[] = [];
    const memory = makeMemoryKeys();
    const { post, runs } = await serve(
      (_request, response) => {
        preventStorage(response);
        response.status(201).location("/keys/1").set("X-Key", "hush").json({ id: 1, secret: "hush" });
      },
      {
        keys: {
          ...memory,
          complete: (claim, reply) => {
            stored.push(reply);
            return memory.complete(claim, reply);
          },
        },
      },
    );
    const first = await post({ key: "a", body: {} });
    expect(first).toMatchObject({ status: 201, text: '{"id":1,"secret":"hush"}', replayed: false });
    expect(first.headers.get("cache-control")).toBe("no-store");
    const second = await post({ key: "a", body: {} });
    expect([second.status, codeOf(second), second.headers.get("location")]).toEqual([
      409,
      "ResponseNotStored",
      "/keys/1",
    ]);
    expect([stored, runs.count]).toEqual([[{ status: 201, headers: { location: "/keys/1" } }], 1]);
  });

  it("C49 a client that has used its budget gets 409 for a repeated request, and empty responses again", async () => {
    const { post, runs } = await serve(
      (request, response) => {
        if (request.body.isEmpty === true) response.status(204).set("X-Made", "here").end();
        else response.status(201).location("/orders/1").type("text").send("x".repeat(300));
      },
      { maxBytesPerClient: 500 },
    );
    await post({ key: "a", user: 1, body: {} });
    expect((await post({ key: "a", user: 1, body: {} })).replayed).toBe(true);
    await post({ key: "b", user: 1, body: {} });
    const repeated = await post({ key: "b", user: 1, body: {} });
    expect([codeOf(repeated), repeated.headers.get("location")]).toEqual(["ResponseNotStored", "/orders/1"]);
    // Another client has a budget of its own.
    await post({ key: "a", user: 2, body: {} });
    expect((await post({ key: "a", user: 2, body: {} })).replayed).toBe(true);
    await post({ key: "fill", user: 1, body: {} });
    expect(runs.count).toBe(4);
  });

  it("C49 an empty response is replayed without its headers when the budget is used up", async () => {
    const { post } = await serve((_request, response) => void response.status(204).set("X-Made", "here").end(), {
      maxBytesPerClient: 1,
    });
    await post({ key: "a" });
    const second = await post({ key: "a" });
    expect([second.status, second.replayed, second.headers.has("x-made")]).toEqual([204, true, false]);
  });

  it("C49 the response is sent and the error logged when the store fails to store it", async () => {
    const logged: unknown[] = [];
    const failure = new Error("disk full");
    const keys: KeyStore = { ...makeMemoryKeys(), complete: () => Promise.reject(failure) };
    const { post } = await serve(created, { keys, log: (error) => logged.push(error) });
    expect((await post({ key: "a" })).status).toBe(201);
    expect(logged).toEqual([failure]);
  });
});

describe("C49 routes with idempotency", () => {
  const route = (more: object): DeclaredRoute =>
    ({ method: "POST", path: "/x", config: {}, origin: {}, ...more }) as unknown as DeclaredRoute;
  const { step, serves } = makeIdempotency({ keys: makeMemoryKeys() });
  const generated = { origin: { model: "Order" } };

  it.each([
    ["a declared route that sets idempotency", route({ config: { idempotency: true } }), true],
    ["a declared route that does not", route({}), false],
    ["a generated write", route(generated), true],
    ["a generated read", route({ ...generated, method: "GET" }), false],
    ["a generated write that turns it off", route({ ...generated, config: { idempotency: false } }), false],
  ])("C49 %s: handlers, documented errors and the header parameter agree", (_what, one, expected) => {
    expect(serves(one)).toBe(expected);
    expect(step.handlers(undefined, one)).toHaveLength(expected ? 1 : 0);
    const codes = (step.errors?.(undefined, one) ?? []).map(({ status, code }) => `${status} ${code}`);
    expect(codes).toEqual(
      expected
        ? [
            "400 InvalidIdempotencyKey",
            "400 IdempotencyKeyOfForm",
            "409 RequestInProgress",
            "409 ResponseNotStored",
            "422 IdempotencyKeyReused",
          ]
        : [],
    );
    expect((step.parameters?.(undefined, one) ?? []).map(({ name }) => name)).toEqual(
      expected ? ["Idempotency-Key"] : [],
    );
  });

  it("C49 requests without a route have no handler", () => {
    expect(step.handlers(true, undefined)).toEqual([]);
  });

  it("C49 a GET that sets idempotency to true is a startup error", () => {
    const errors = (value: boolean, method: string) => step.check?.(value, route({ method })) ?? [];
    expect(errors(true, "GET")).toHaveLength(1);
    expect([errors(false, "GET"), errors(true, "POST")]).toEqual([[], []]);
  });
});
