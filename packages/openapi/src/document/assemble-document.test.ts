import { expect, it } from "vitest";
import { assembleDocument } from "./assemble-document.js";

const head = { openapi: "3.1.0", info: { title: "Test", version: "1.0.0" } };

it("C47 collects the methods of a path under it, in the order of the operations", () => {
  const operation = (method: string, path: string) => ({
    method,
    path,
    operationId: `${method}${path}`,
    responses: {},
  });
  const operations = [operation("get", "/a"), operation("post", "/a"), operation("get", "/b")];
  expect(assembleDocument({ head, operations, components: [] })).toEqual({
    ...head,
    paths: {
      "/a": { get: { operationId: "get/a", responses: {} }, post: { operationId: "post/a", responses: {} } },
      "/b": { get: { operationId: "get/b", responses: {} } },
    },
    components: {},
  });
});

it("replaces a component by a later one of the same kind and name, and leaves out kinds without components", () => {
  const made = { schemas: { Row: { type: "object" }, Other: { type: "string" } }, responses: {} };
  const own = { schemas: { Row: { type: "integer" } }, examples: { Row: { value: 1 } } };
  expect(assembleDocument({ head, operations: [], components: [made, own] }).components).toEqual({
    schemas: { Row: { type: "integer" }, Other: { type: "string" } },
    examples: { Row: { value: 1 } },
  });
});

it("keeps the webhooks of the configuration", () => {
  const webhooks = { paid: { summary: "An order was paid.", post: { responses: { 204: { description: "OK" } } } } };
  expect(assembleDocument({ head: { ...head, webhooks }, operations: [], components: [] }).webhooks).toEqual(webhooks);
});
