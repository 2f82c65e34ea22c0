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

  it("run around every action, in order, and send what an after hook changes", async () => {
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
    const reply = await login(hooked);
    expect(order.splice(0)).toEqual(["before:false", "second:false", "after:true"]);
    expect([reply.body.data.greeting, reply.body.data.password]).toEqual(["hi", undefined]);
    const token = bearer(reply.body.accessToken);
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

  it("end the action when they reject it, and leave no cookie", async () => {
    const reject: RequestHandler = async () => {
      throw Object.assign(new Error("no"), { status: 403 });
    };
    const before = await serve({ hooks: { beforeLogin: reject } });
    const after = await serve({ hooks: { afterLogin: [reject] } });
    for (const at of [before, after]) {
      const reply = await login(at);
      expect([reply.status, reply.headers["set-cookie"], reply.body.accessToken]).toEqual([403, undefined, undefined]);
    }
  });

  it("may choose another status in an after hook", async () => {
    const at = await serve({
      hooks: {
        afterDeleteMe: (_request, response, next) => {
          response.locals.data = { gone: true };
          response.status(202);
          next();
        },
      },
    });
    const reply = await at.api.delete("/api/users/me").set(bearer(await tokenOf(served)));
    expect([reply.status, reply.body]).toEqual([202, { data: { gone: true } }]);
  });

  it("end the request when they respond; a second call of next is logged once", async () => {
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

  it("C44 a misspelled hook or schema prevents startup with the nearest name", async () => {
    await expect(serve({ hooks: { beforeLogIn: note("x") } as never })).rejects.toThrow("Did you mean beforeLogin?");
    await expect(serve({ schemas: { singup: z.object({}) } as never })).rejects.toThrow("Did you mean signup?");
    await expect(serve({ hooks: { afterLogin: 5 as never } })).rejects.toThrow("expected a function");
  });
});
