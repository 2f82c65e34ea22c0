import { describe, expect, it } from "vitest";
import { breakingChanges } from "../src/commands/compare-documents.js";

const json = (schema: object) => ({ content: { "application/json": { schema } } });
const post = {
  type: "object",
  properties: { title: { type: "string", maxLength: 80 }, mood: { enum: ["GOOD", "BAD"] } },
  required: ["title"],
};
const document = (change: (made: ReturnType<typeof parts>) => void = () => {}) => {
  const made = parts();
  change(made);
  return { paths: made.paths, components: { schemas: { Post: made.post } } };
};
const parts = () => {
  const own = structuredClone(post) as {
    properties: Record<string, Record<string, unknown>>;
    required: string[];
    additionalProperties?: boolean;
  };
  const ref = { $ref: "#/components/schemas/Post" };
  const get = {
    parameters: [{ name: "limit", in: "query", schema: { type: "integer" } }] as object[],
    responses: { 200: json({ type: "object", properties: { data: { type: "array", items: ref } } }) } as Record<
      string,
      object
    >,
  };
  const body = structuredClone(own) as typeof own;
  const paths: Record<string, Record<string, object>> = {
    "/posts": { get, post: { requestBody: json(body), responses: { 201: json(ref) } } },
  };
  return { post: own, get, body, paths };
};

describe("C73 breaking changes", () => {
  const compare = (change: (made: ReturnType<typeof parts>) => void) =>
    breakingChanges(document(), document(change)).map(({ operation, message }) => `${operation} ${message}`);

  it("are none for an unchanged and for an extended document", () => {
    expect(compare(() => {})).toEqual([]);
    const more = compare(({ post: schema, paths, get, body }) => {
      schema.properties.words = { type: "integer" };
      body.properties.note = { type: "string" };
      get.parameters.push({ name: "page", in: "query", schema: { type: "integer" } });
      paths["/tags"] = { get: {} };
    });
    expect(more).toEqual([]);
  });

  it.each<[string, (made: ReturnType<typeof parts>) => void, string[]]>([
    [
      "a path that was removed",
      ({ paths }) => delete paths["/posts"],
      ["GET /posts was removed", "POST /posts was removed"],
    ],
    [
      "a parameter that was removed",
      ({ get }) => get.parameters.pop(),
      ["GET /posts no longer accepts the parameter limit (query)"],
    ],
    [
      "a parameter that is needed",
      ({ get }) => get.parameters.push({ name: "of", in: "query", required: true }),
      ["GET /posts requires the parameter of (query)"],
    ],
    ["another status", ({ get }) => delete get.responses[200], ["GET /posts no longer returns 200"]],
    [
      "a field less in a response",
      ({ post: schema }) => delete schema.properties.mood,
      [
        "GET /posts the response 200, data, (each) no longer has mood",
        "POST /posts the response 201 no longer has mood",
      ],
    ],
    [
      "a field that may be missing",
      ({ post: schema }) => (schema.required = []),
      ["GET /posts the response 200, data, (each) may omit title", "POST /posts the response 201 may omit title"],
    ],
    ["a field that is needed", ({ body }) => body.required.push("mood"), ["POST /posts the body requires mood"]],
    [
      "a key that is rejected",
      ({ body }) => {
        delete body.properties.mood;
        body.additionalProperties = false;
      },
      ["POST /posts the body no longer accepts mood"],
    ],
    [
      "a value that is rejected",
      ({ body }) => (body.properties.mood = { enum: ["GOOD"] }),
      ["POST /posts the body, mood, no longer accepts BAD"],
    ],
    [
      "a shorter text",
      ({ body }) => (body.properties.title = { type: "string", maxLength: 40 }),
      ["POST /posts the body, title, has the maximum 40 (maxLength)"],
    ],
    [
      "another type",
      ({ body }) => (body.properties.title = { type: "integer" }),
      ["POST /posts the body, title, no longer accepts string"],
    ],
  ])("%s", (_name, change, reported) => {
    expect(compare(change).map((line) => line.replaceAll(",  ", ", "))).toEqual(reported);
  });

  it("terminate for recursive schemas", () => {
    const tree = {
      components: {
        schemas: { Node: { type: "object", properties: { next: { $ref: "#/components/schemas/Node" } } } },
      },
    };
    const paths = { "/nodes": { get: { responses: { 200: json({ $ref: "#/components/schemas/Node" }) } } } };
    expect(breakingChanges({ ...tree, paths }, { ...tree, paths })).toEqual([]);
  });
});
