import { describe, expect, it } from "vitest";
import { schemaOf } from "./route-schema.js";
import { toolName } from "./route-tools.js";

const inputOf = (operation: object, components: object = {}) =>
  schemaOf("POST", "/api/orders/:id/ship", { paths: { "/api/orders/{id}/ship": { post: operation } }, components })
    .inputSchema;
const parameter = (name: string, place: string, more: object = {}) => ({
  name,
  in: place,
  schema: { type: "string" },
  ...more,
});
const body = (schema: object, more: object = {}) => ({
  requestBody: { content: { "application/json": { schema } }, ...more },
});

describe("C75 the input of a declared route", () => {
  it("C75 is an empty object for a route that the document does not contain", () => {
    expect(schemaOf("GET", "/none", { paths: {} })).toEqual({
      summary: undefined,
      description: undefined,
      inputSchema: { type: "object", properties: {}, additionalProperties: false },
    });
  });

  it("C75 groups the parameters of the path and the query; headers are left out", () => {
    const input = inputOf({
      parameters: [
        parameter("id", "path", { required: true, description: "The order." }),
        parameter("fast", "query"),
        parameter("x-a", "header", { required: true }),
      ],
    });
    expect(input).toEqual({
      type: "object",
      properties: {
        params: { type: "object", properties: { id: { type: "string", description: "The order." } }, required: ["id"] },
        query: { type: "object", properties: { fast: { type: "string" } } },
      },
      required: ["params"],
      additionalProperties: false,
    });
  });

  it("C75 requires a query with a required parameter, and a required body", () => {
    const query = { parameters: [parameter("day", "query", { required: true })] };
    expect(inputOf(query).required).toEqual(["query"]);
    expect(inputOf(body({ type: "object" })).required).toBeUndefined();
    expect(inputOf({ ...query, ...body({ type: "object" }, { required: true }) }).required).toEqual(["query", "body"]);
    expect(inputOf(body({}, { required: true }))).not.toHaveProperty("required");
  });

  it("C75 follows references, also of schemas that refer to themselves", () => {
    const components = {
      parameters: { Day: parameter("day", "query") },
      schemas: {
        Tree: { type: "object", properties: { next: { $ref: "#/components/schemas/Tree" }, of: { enum: ["a"] } } },
      },
    };
    const input = inputOf(
      { parameters: [{ $ref: "#/components/parameters/Day" }], ...body({ $ref: "#/components/schemas/Tree" }) },
      components,
    );
    expect(input.properties).toEqual({
      query: { type: "object", properties: { day: { type: "string" } } },
      body: { $ref: "#/$defs/Tree" },
    });
    expect(input.$defs).toEqual({
      Tree: { type: "object", properties: { next: { $ref: "#/$defs/Tree" }, of: { enum: ["a"] } } },
    });
  });
});

describe("C75 the name of a declared route's tool", () => {
  it.each([
    ["POST", "/api/orders/:id/ship", "post_orders_ship"],
    ["GET", "/tides", "get_tides"],
    ["GET", "/api/", "get"],
    ["GET", `/${"long-".repeat(20)}`, `get_${"long_".repeat(20)}`.slice(0, 64)],
  ])("C75 of %s %s is %s", (method, path, name) => {
    expect(toolName(method, path)).toBe(name);
  });
});
