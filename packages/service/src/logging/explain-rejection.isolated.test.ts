import { HttpError, httpErrors } from "@servicekit/core";
import type { DeclaredRoute } from "@servicekit/router";
import type { Request } from "express";
import { expect, it, vi } from "vitest";
import { explainRejection, logRejections } from "./explain-rejection.js";

const state = vi.hoisted(() => ({ route: undefined as unknown, caller: undefined as unknown }));
vi.mock("@servicekit/router/internal", async (original) => ({
  ...(await original<object>()),
  matchOf: () => ({ route: state.route }),
}));
vi.mock("@servicekit/router", async (original) => ({ ...(await original<object>()), callerOf: () => state.caller }));

const generated = { place: "the model Post", resource: "post", operation: "createOne", model: "Post" };
const right = (rule?: readonly string[] | "*") => ({ resource: "post", action: "Create", rule });

/** The reason of a rejection by a route. */
function explain(
  error: Error,
  authentication: unknown,
  more: { origin?: object; roles?: string[]; isSuperUser?: boolean; mode?: string } = {},
) {
  const { origin = generated, roles, isSuperUser = false, mode = "static" } = more;
  state.route = { method: "POST", path: "/posts", config: { authentication }, origin } as unknown as DeclaredRoute;
  state.caller = roles === undefined ? undefined : { id: 1, roles, isSuperUser, user: {} };
  return explainRejection(error, {} as Request, mode);
}
const unauthorized = new HttpError(401, "Unauthorized", "Sign in first.");
const forbidden = httpErrors.Forbidden();

it.each([
  [
    unauthorized,
    true,
    {},
    "createOne of Post requires authentication, and the request has no credentials. Sign in. To allow everyone instead: auth: { createOne: false } in post.model.ts",
  ],
  [
    forbidden,
    right(),
    { roles: ["MEMBER"] },
    "createOne of Post has no access rule, so only superusers may use it. To allow authenticated users: auth: { createOne: true } in post.model.ts",
  ],
  [
    forbidden,
    right(["STAFF"]),
    { roles: ["MEMBER"] },
    'createOne of Post allows STAFF. The caller has MEMBER. To allow it: auth: { createOne: ["STAFF","MEMBER"] } in post.model.ts',
  ],
  [
    forbidden,
    right(["STAFF"]),
    { roles: ["STAFF"], origin: { ...generated, hasRowRule: true } },
    "The caller may use createOne of Post, but auth.where or auth.fields rejects this row or field. See post.model.ts.",
  ],
  [
    forbidden,
    right(["STAFF"]),
    { roles: [], origin: { place: "src/routes/a.ts:3" } },
    'POST /posts allows STAFF. The caller has no role. To allow it: rule: ["STAFF","<role>"] in authentication, in src/routes/a.ts:3',
  ],
  [
    unauthorized,
    true,
    { origin: { place: "src/routes/a.ts:3" } },
    "POST /posts requires authentication, and the request has no credentials. Sign in. To allow everyone instead: authentication: false in src/routes/a.ts:3",
  ],
  [
    unauthorized,
    true,
    { origin: { place: "the route available-routes", resource: "available-routes" } },
    "POST /posts requires authentication, and the request has no credentials. Sign in.",
  ],
  [
    forbidden,
    right(),
    { roles: ["a"], mode: "dynamic" },
    'createOne of Post requires the permission {"resource":"post","action":"Create"}. If no role of the caller has it, add it to one. Otherwise the row rule or a hook rejected the request.',
  ],
  [
    forbidden,
    right(["STAFF"]),
    { origin: { place: "src/routes/a.ts:3" } },
    'POST /posts allows STAFF. The caller has no role. To allow it: rule: ["STAFF","<role>"] in authentication, in src/routes/a.ts:3',
  ],
  [
    forbidden,
    right(["*"]),
    { roles: ["MEMBER"] },
    "The caller may use createOne of Post, but auth.fields, or a rule of a related model rejects this row or field. See post.model.ts.",
  ],
  [
    forbidden,
    true,
    { roles: ["MEMBER"], mode: "dynamic" },
    "The caller may use createOne of Post, but auth.fields, or a rule of a related model rejects this row or field. See post.model.ts.",
  ],
  [
    forbidden,
    right(),
    { roles: ["MEMBER"], isSuperUser: true },
    "The caller may use createOne of Post, but auth.fields, or a rule of a related model rejects this row or field. See post.model.ts.",
  ],
  [forbidden, right(["STAFF"]), { roles: ["STAFF"], origin: { place: "src/routes/a.ts:3" } }, undefined],
  [unauthorized, false, {}, undefined],
  [httpErrors.NotFound(), true, {}, undefined],
  [new HttpError(401, "InvalidToken", "The token is invalid."), true, {}, undefined],
  [unauthorized, true, { origin: { place: "x", resource: "auth" } }, undefined],
  [new Error("x"), true, {}, undefined],
])("explains %s of a route with the rule %j", (error, authentication, more, reason) => {
  expect(explain(error, authentication, more)).toBe(reason);
});

it("logs the reason and passes the error on", () => {
  explain(forbidden, right(), { roles: [] });
  const warn = vi.fn();
  const next = vi.fn();
  logRejections({ warn } as never, "static")(forbidden, { id: "r1" } as Request, {} as never, next);
  expect(warn).toHaveBeenCalledWith({ requestId: "r1" }, expect.stringContaining("has no access rule"));
  expect(next).toHaveBeenCalledWith(forbidden);
});
