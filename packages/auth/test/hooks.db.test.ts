import type { RequestHandler } from "express";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { z } from "zod";
import type { Served } from "./serve-auth.js";
import { alice, bearer, login, startWithAlice, tokenOf, type WithAlice } from "./with-alice.js";

let started: WithAlice;
let served: Served;
const serve: WithAlice["serve"] = (options) => started.serve(options);

beforeAll(async () => {
  started = await startWithAlice(inject("postgresUrl"));
  ({ served } = started);
});
afterAll(() => started?.close());
beforeEach(() => started.renew());

describe("C45 hooks", () => {
  const order: string[] = [];
  const note =
    (name: string): RequestHandler =>
    (_request, response, next) => {
      order.push(`${name}:${JSON.stringify(Object.keys(response.locals.data ?? {}).length > 0)}`);
      next();
    };

  it("run around every act, in order, and what an after hook changes is sent", async () => {
    const hooks = {
      beforeLogin: [note("before"), note("second")],
      afterLogin: [
        note("after"),
        ((_request, response, next) => {
          response.locals.data = { ...response.locals.data, greeting: "hi", password: "leak" };
          next();
        }) as RequestHandler,
      ],
      ...{ beforeLogout: note("bo"), afterLogout: note("ao"), beforeGetMe: note("bg"), afterGetMe: note("ag") },
      ...{
        beforeUpdateMe: note("bu"),
        afterUpdateMe: note("au"),
        beforeDeleteMe: note("bd"),
        afterDeleteMe: note("ad"),
      },
      ...{
        beforeSignup: note("bs"),
        afterSignup: note("as"),
        beforeUpdatePassword: note("bp"),
        afterUpdatePassword: note("ap"),
      },
    };
    const hooked = await serve({ hooks });
    const answer = await login(hooked);
    expect(order.splice(0)).toEqual(["before:false", "second:false", "after:true"]);
    expect([answer.body.data.greeting, answer.body.data.password]).toEqual(["hi", undefined]);
    const token = bearer(answer.body.accessToken);
    await hooked.api.get("/api/users/me").set(token);
    await hooked.api.patch("/api/users/me").set(token).send({ name: "x" });
    const body = { currentPassword: alice.password, newPassword: "another horse" };
    const fresh = bearer((await hooked.api.post("/api/auth/update-password").set(token).send(body)).body.accessToken);
    await hooked.api
      .post("/api/auth/signup")
      .send({ username: "b", email: "b@example.com", password: "another horse" });
    await hooked.api.delete("/api/users/me").set(fresh);
    expect(order.splice(0)).toEqual([
      "bg:false",
      "ag:true",
      "bu:false",
      "au:true",
      "bp:false",
      "ap:true",
      "bs:false",
      "as:true",
      "bd:false",
      "ad:false",
    ]);
  });

  it("a hook that refuses ends the act, and leaves no cookie behind", async () => {
    const refuse: RequestHandler = async () => {
      throw Object.assign(new Error("no"), { status: 403 });
    };
    const before = await serve({ hooks: { beforeLogin: refuse } });
    const after = await serve({ hooks: { afterLogin: [refuse] } });
    for (const at of [before, after]) {
      const answer = await login(at);
      expect([answer.status, answer.headers["set-cookie"], answer.body.accessToken]).toEqual([
        403,
        undefined,
        undefined,
      ]);
    }
  });

  it("an after hook may choose another status", async () => {
    const at = await serve({
      hooks: {
        afterDeleteMe: (_request, response, next) => {
          response.locals.data = { gone: true };
          response.status(202);
          next();
        },
      },
    });
    const answer = await at.api.delete("/api/users/me").set(bearer(await tokenOf(served)));
    expect([answer.status, answer.body]).toEqual([202, { data: { gone: true } }]);
  });

  it("a hook that answers ends the request; one that calls next twice is logged once", async () => {
    const answering = await serve({
      hooks: { beforeGetMe: (_request, response) => void response.json({ own: true }) },
    });
    const token = await tokenOf(served);
    expect((await answering.api.get("/api/users/me").set(bearer(token))).body).toEqual({ own: true });
    const twice = await serve({
      hooks: {
        afterGetMe: (_request, _response, next) => {
          next();
          next();
        },
      },
    });
    expect((await twice.api.get("/api/users/me").set(bearer(token))).status).toBe(200);
    expect(twice.logged).toHaveLength(1);
  });

  it("C44 a misspelt hook or schema stops the start with the nearest name", async () => {
    await expect(serve({ hooks: { beforeLogIn: note("x") } as never })).rejects.toThrow("Did you mean beforeLogin?");
    await expect(serve({ schemas: { singup: z.object({}) } as never })).rejects.toThrow("Did you mean signup?");
    await expect(serve({ hooks: { afterLogin: 5 as never } })).rejects.toThrow("expected a function");
  });
});
