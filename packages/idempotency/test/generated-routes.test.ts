import type { Database } from "@servicekit/prisma";
import { type DeclaredRoute, preventStorage } from "@servicekit/router";
import type { RequestHandler } from "express";
import { afterEach, describe, expect, it } from "vitest";
import {
  type DatabaseKeys,
  type Idempotency,
  type IdempotencyOptions,
  makeMemoryKeys,
  type StoredResponse,
} from "../src/index.js";
import { codeOf, type Served, serveKeyed } from "./serve-keyed.js";

const served: Served[] = [];
afterEach(async () => {
  for (const one of served.splice(0)) await one.close();
});

const route = { method: "POST", path: "/orders", config: {}, origin: { model: "Order" } } as unknown as DeclaredRoute;
const transaction = {} as Database;

/** Serves a handler as the route of a model: its write is over when it responds. */
async function serve(handler: (idempotency: Idempotency) => RequestHandler, options: Partial<IdempotencyOptions> = {}) {
  const one = await serveKeyed({}, options, (app, idempotency) => {
    app.post("/orders", ...idempotency.step.handlers(undefined, route), handler(idempotency));
  });
  served.push(one);
  return (key?: string) => one.send("POST", "/orders", key === undefined ? {} : { key });
}

/** Keys that record what is stored, as if inside of the transaction of the write. */
function makeInsideKeys({ isHeld = true } = {}) {
  const stored: (readonly [string, StoredResponse])[] = [];
  const memory = makeMemoryKeys();
  const keys: DatabaseKeys = {
    ...memory,
    complete: (claim, reply) => {
      stored.push(["after", reply]);
      return memory.complete(claim, reply);
    },
    completeInside: async (_transaction, claim, reply) => {
      stored.push(["inside", reply]);
      return isHeld && (await memory.complete(claim, reply));
    },
    deleteExpired: async () => 0,
  };
  return { keys, stored };
}

const text = '{"id":1}';
const headers = { location: "/orders/1" };
/** Stores the response with its write, and sends it. */
const write =
  ({ sent = text, status = 201 } = {}) =>
  (idempotency: Idempotency): RequestHandler =>
  async (request, response) => {
    await idempotency.responseStoreOf(request)?.store(transaction, { status: 201, headers, text });
    response.status(status).set(headers).end(sent);
  };

describe("C49 the response of a generated write", () => {
  it("C49 is stored once, in the transaction of the write", async () => {
    const { keys, stored } = makeInsideKeys();
    const post = await serve(write(), { keys });
    expect((await post("a")).status).toBe(201);
    expect(stored).toEqual([["inside", { status: 201, headers, body: { text } }]]);
    const second = await post("a");
    expect(second).toMatchObject({ status: 201, text, replayed: true });
    expect(second.headers.get("location")).toBe("/orders/1");
  });

  it("C49 is stored again after the transaction when a hook has changed it", async () => {
    const { keys, stored } = makeInsideKeys();
    const post = await serve(write({ sent: '{"id":2}' }), { keys });
    await post("a");
    expect(stored.map(([when, { body }]) => [when, body])).toEqual([
      ["inside", { text }],
      ["after", { text: '{"id":2}' }],
    ]);
    expect((await post("a")).text).toBe('{"id":2}');
  });

  it.each(["before", "after"])(
    "C49 that a hook prevents from being stored %s the write is 409 when it is repeated",
    async (moment) => {
      const { keys, stored } = makeInsideKeys();
      const post = await serve(
        (idempotency) => async (request, response) => {
          if (moment === "before") preventStorage(response);
          await idempotency.responseStoreOf(request)?.store(transaction, { status: 201, headers, text });
          if (moment === "after") preventStorage(response);
          response.status(201).set(headers).end('{"id":1,"secret":"hush"}');
        },
        { keys },
      );
      expect((await post("a")).text).toContain("hush");
      const again = await post("a");
      expect([again.status, codeOf(again), again.headers.get("location")]).toEqual([
        409,
        "ResponseNotStored",
        "/orders/1",
      ]);
      expect(JSON.stringify(stored)).not.toContain("hush");
      expect(stored[0]?.[1].body).toEqual(moment === "before" ? undefined : { text });
    },
  );

  it("C49 is 409 when another request has taken over the key meanwhile", async () => {
    const { keys } = makeInsideKeys({ isHeld: false });
    const post = await serve(write(), { keys });
    const sent = await post("a");
    expect([sent.status, codeOf(sent), sent.headers.get("retry-after")]).toEqual([409, "RequestInProgress", "1"]);
  });

  it("C49 is stored after the write when the store is not the database, and its failure does not fail the write", async () => {
    const memory = makeMemoryKeys();
    let attempts = 0;
    const keys: IdempotencyOptions["keys"] = {
      ...memory,
      complete: (claim, reply) => {
        attempts++;
        return attempts === 1 ? Promise.reject(new Error("down")) : memory.complete(claim, reply);
      },
    };
    const places: boolean[] = [];
    const post = await serve(
      (idempotency) => (request, response, next) => {
        places.push(idempotency.responseStoreOf(request)?.isInside ?? true);
        return write()(idempotency)(request, response, next);
      },
      { keys },
    );
    expect((await post("a")).status).toBe(201);
    expect([attempts, places]).toEqual([2, [false]]);
    expect((await post("a")).replayed).toBe(true);
  });

  it("C49 without a body is stored as empty, and one longer than the limit without its body", async () => {
    for (const [maxBytes, body] of [
      [8, { text }],
      [7, undefined],
    ] as const) {
      const { keys, stored } = makeInsideKeys();
      const post = await serve(write(), { keys, maxBytes });
      await post("a");
      expect(stored[0]?.[1].body).toEqual(body);
    }
  });

  it("C49 that is an error is not stored: the request runs again", async () => {
    for (const status of [400, 404, 409, 422, 500]) {
      let runs = 0;
      const post = await serve(() => (_request, response) => {
        runs++;
        response.status(status).json({});
      });
      await post("a");
      expect([(await post("a")).replayed, runs], String(status)).toEqual([false, 2]);
    }
  });

  it("C49 that timed out frees the key only when the write and its response share a transaction", async () => {
    for (const [keys, status] of [
      [makeInsideKeys().keys, 504],
      [makeMemoryKeys(), 409],
    ] as const) {
      const post = await serve(() => (_request, response) => void response.status(504).json({}), { keys });
      await post("a");
      expect((await post("a")).status).toBe(status);
    }
  });

  it("C49 has no store for a request without a key", async () => {
    const stores: unknown[] = [];
    const post = await serve((idempotency) => (request, response) => {
      stores.push(idempotency.responseStoreOf(request));
      response.status(201).json({});
    });
    await post();
    expect(stores).toEqual([undefined]);
  });
});
