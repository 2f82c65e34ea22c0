import { setCaller } from "@servicekit/router/internal";
import type { Request } from "express";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import type { ModelRouter, ModelRouterOptions, ModelRouterSettings } from "../src/index.js";
import { type Relations, startRelations } from "./relations.js";

let relations: Relations;
beforeAll(async () => {
  relations = await startRelations(inject("postgresUrl"));
});
afterAll(() => relations?.close());

const user = { id: 1, roles: ["editor"], isSuperUser: false, user: { id: 1 } };
const access: ModelRouterOptions["access"] = {
  allows: (_request, rule) => rule === false || (typeof rule === "object" && rule.rule !== undefined),
};

async function serve(models: ModelRouterSettings["models"], options: Partial<ModelRouterOptions> = {}) {
  const { router } = await relations.serve({ models }, options, [{ key: "authentication", handlers: () => [] }]);
  return router;
}

/** What a caller sees of a model: its visible fields, and those that bodies may contain. */
async function seen(router: ModelRouter, name: string, caller: Parameters<typeof setCaller>[1] | undefined = user) {
  const request = {} as Request;
  if (caller !== undefined) setCaller(request, caller);
  const found = (await router.visibleModels(request)).find(({ model }) => model.name === name);
  return found && [[...found.fields].join(" "), [...found.writable].join(" ")];
}

it("C46 shows each model with its visible and its writable fields", async () => {
  const router = await serve({ Note: { writable: ["replies"], count: "limited" } });
  expect(await seen(router, "Note")).toEqual([
    "id text rank stars createdAt articleId parentId article parent replies",
    "text rank articleId parentId article parent replies",
  ]);
  const [label] = (await router.visibleModels({} as Request)).filter(({ model }) => model.name === "Label");
  expect([label?.counting, [...(label?.operators.keys() ?? [])]]).toEqual(["exact", ["name", "color"]]);
  expect(label?.operators.get("color")).toContain("isNull");
});

it("C46 shows the models and fields of the caller", async () => {
  const router = await serve(
    {
      Note: { auth: { findMany: ["editor"], fields: { editor: ["id", "text", "articleId"] } } },
      Label: { auth: { findMany: ["editor"] } },
      Owner: { auth: { createOne: ["editor"] } },
    },
    { access: access as never },
  );
  expect(await seen(router, "Note")).toEqual(["id text articleId", "text articleId"]);
  expect(await seen(router, "Label")).toEqual(["name color", "name color"]);
  expect(await seen(router, "Owner")).toBeUndefined();
  expect(await seen(router, "Article")).toBeUndefined();
});

it("C46 C85 shows the fields that grant permissions as writable only to those who set them", async () => {
  const auth = { findMany: ["editor"], updateOne: ["editor"] };
  const router = await serve({ User: { auth } }, { access: access as never });
  const root = { ...user, isSuperUser: true };
  expect((await seen(router, "User"))?.[1]).toBe("email");
  expect((await seen(router, "User", root))?.[1]).toBe("email role isActive");
  expect((await seen(router, "User", { ...root, keyId: "1" }))?.[1]).toBe("email");
  const delegated = await serve({ User: { auth, writable: ["role"] } }, { access: access as never });
  expect((await seen(delegated, "User"))?.[1]).toBe("email role");
  const open = await serve({});
  expect((await seen(open, "User"))?.[1]).toBe("email role isActive");
});
