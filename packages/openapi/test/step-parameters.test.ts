import { makeRouteTable, ServiceRouter } from "@servicekit/router";
import express from "express";
import { expect, it } from "vitest";
import { z } from "zod";
import { makeDocument } from "../src/index.js";
import { expectValid } from "./document-of.js";

it("C47 documents the header parameters of a route's steps beside its own parameters", async () => {
  const app = express();
  const router = ServiceRouter();
  const query = z.object({ deep: z.string() });
  router.post({ path: "/keyed/:id", validation: { query } }, () => undefined);
  router.post({ path: "/plain/:id", validation: { query } }, () => undefined);
  app.use(router);
  const key = { name: "Idempotency-Key", in: "header", schema: { type: "string" } };
  const document = (await makeDocument({
    table: makeRouteTable(app.router),
    settings: { mode: "prisma", options: {} },
    serverUrl: "/",
    surrounding: {
      ...{ isLimited: () => false, isAuthenticated: false, hasTimeLimit: false },
      parametersOf: (route) => (route.path.startsWith("/keyed") ? [key] : []),
    },
  })) as unknown as {
    components: { parameters?: Record<string, { name: string }> };
    paths: Record<string, Record<string, { parameters: readonly { name?: string; $ref?: string }[] }>>;
  };
  await expectValid(document);
  const namesOf = (path: string) =>
    document.paths[path]?.post?.parameters.map(
      ({ name, $ref = "" }) => name ?? document.components.parameters?.[$ref.split("/").at(-1) ?? ""]?.name,
    );
  expect(namesOf("/keyed/{id}")?.toSorted()).toEqual(["Idempotency-Key", "deep", "id"]);
  expect(namesOf("/plain/{id}")?.toSorted()).toEqual(["deep", "id"]);
});
