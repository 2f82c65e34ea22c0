import { makeRouteTable, ServiceRouter } from "@servicekit/router";
import { declareRoute } from "@servicekit/router/internal";
import express from "express";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { makeDocument } from "../src/index.js";
import { documentOf, expectValid, type Loose, response } from "./document-of.js";

describe("C47 names in the document", () => {
  it("give a model a name of its own if the name is taken", async () => {
    const { document, paths, schemas } = await documentOf((router) => {
      const schema = { $ref: "#/components/schemas/Problem" };
      declareRoute(router, {
        method: "get",
        config: { path: "/problems" },
        handlers: [response as never],
        origin: {
          place: "the model Problem",
          documentation: () => ({
            responses: { "200": { description: "Problems.", content: { "application/json": { schema } } } },
            components: { Problem: { type: "object", properties: { next: schema } } },
          }),
        },
      });
    });
    await expectValid(document);
    const schema = paths["/api/problems"]?.get.responses["200"].content["application/json"].schema;
    expect(schema).toEqual({ $ref: "#/components/schemas/Problem2" });
    expect(schemas.Problem2).toEqual({ type: "object", properties: { next: schema } });
    expect(schemas.Problem.description).toBe("What went wrong (RFC 9457).");
  });

  it("keep that name for every route of the model, and for the models that reference it", async () => {
    const { document, paths, schemas } = await documentOf((router) => {
      const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` });
      const components = {
        Problem: { type: "object", properties: { post: reference("Post") } },
        Post: { type: "object", properties: { problem: reference("Problem") } },
      };
      for (const path of ["/problems", "/problems/:id", "/posts"]) {
        const schema = reference(path === "/posts" ? "Post" : "Problem");
        declareRoute(router, {
          method: "get",
          config: { path },
          handlers: [response as never],
          origin: {
            place: "a model",
            documentation: () => ({
              responses: { "200": { description: "Rows.", content: { "application/json": { schema } } } },
              // Created again for each route, as packages may do.
              components: JSON.parse(JSON.stringify(components)),
            }),
          },
        });
      }
    });
    await expectValid(document);
    expect(Object.keys(schemas)).toEqual(["BadRequestProblem", "OtherProblem", "Post", "Problem", "Problem2"]);
    expect(schemas.Post.properties.problem).toEqual({ $ref: "#/components/schemas/Problem2" });
    const schemaOf = (path: string) => paths[path]?.get.responses["200"].content["application/json"].schema.$ref;
    expect(["/api/problems", "/api/problems/{id}", "/api/posts"].map(schemaOf)).toEqual([
      "#/components/schemas/Problem2",
      "#/components/schemas/Problem2",
      "#/components/schemas/Post",
    ]);
  });

  it("name error responses by their kind, the most common set of codes plainly", async () => {
    const taken = z.object({ own: z.string() }).meta({ id: "BadRequestProblem" });
    const { document, paths, schemas } = await documentOf((router) => {
      router.get({ path: "/a", validation: { query: z.object({ a: z.string() }) } }, response);
      router.get({ path: "/b", validation: { query: z.object({ b: z.string() }) } }, response);
      router.post({ path: "/c", queryParser: false, validation: { body: z.object({ c: z.string() }) } }, response);
      router.get(
        { path: "/d", queryParser: false, experimental: { openapi: { responses: { 200: taken } } } },
        response,
      );
    });
    await expectValid(document);
    const rejected = (path: string, method: string) => paths[path]?.[method].responses["400"].$ref.split("/").at(-1);
    expect([rejected("/api/a", "get"), rejected("/api/b", "get")]).toEqual(["ValidationProblem", "ValidationProblem"]);
    expect(rejected("/api/c", "post")).toBe("PostCValidationProblem");
    expect(rejected("/api/d", "get")).toBe("GetDBadRequestProblem");
    expect(schemas.BadRequestProblem.properties).toEqual({ own: { type: "string" } });
    expect(Object.keys(paths["/api/a"]?.get.responses)).toEqual(["400", "2XX", "default"]);
  });

  it("list the errors of a request's headers among those of any request", async () => {
    const { document, paths } = await documentOf((router) => {
      const rejected = (status: number, code: string) => ({ status, code, description: `It is ${status}.` });
      const errors = [rejected(404, "NotFound"), rejected(412, "PreconditionFailed"), rejected(422, "Unprocessable")];
      const origin = { place: "a model", documentation: () => ({ errors }) };
      declareRoute(router, { method: "get", config: { path: "/rows" }, handlers: [response as never], origin });
    });
    await expectValid(document);
    const { responses } = paths["/api/rows"]?.get ?? {};
    expect(Object.keys(responses)).toEqual(["400", "404", "2XX", "default"]);
    const { description } = (document as Loose).components.responses[responses.default.$ref.split("/").at(-1)];
    expect(description).toContain("- 412 `PreconditionFailed`: It is 412.\n");
    expect(description).toContain("- 422 `Unprocessable`: It is 422.\n");
  });

  it("keeps the tags of models, of declared routes and of the service apart", async () => {
    const app = express();
    const router = ServiceRouter();
    router.get({ path: "/status", experimental: { openapi: { tags: ["Health"] } } }, response);
    router.get({ path: "/reports" }, response);
    const origin = {
      place: "a model",
      model: "Zebra",
      operation: "findMany",
      documentation: () => ({ tags: ["Zebra"] }),
    };
    declareRoute(router, { method: "get", config: { path: "/zebras" }, handlers: [response as never], origin });
    app.use("/api", router);
    const document = (await makeDocument({
      table: makeRouteTable(app.router),
      settings: { mode: "prisma", options: {} },
      serverUrl: "/",
      surrounding: { isLimited: () => true, isAuthenticated: false, hasTimeLimit: true },
      tags: { Health: "Whether it lives." },
    })) as Loose;
    expect(document.tags).toEqual([
      { name: "Zebra", description: "Rows of Zebra." },
      { name: "Reports" },
      { name: "Health", description: "Whether it lives." },
    ]);
    expect(document["x-tagGroups"]).toEqual([
      { name: "Models", tags: ["Zebra"] },
      { name: "Routes", tags: ["Reports"] },
      { name: "Service", tags: ["Health"] },
    ]);
  });

  it("write a parameter of several operations once, under a descriptive name", async () => {
    const { document, paths } = await documentOf((router) => {
      const page = { name: "page", in: "query", schema: { type: "integer" } };
      const title = { name: "title", in: "query", schema: { type: "string" } };
      const own = { name: "own", in: "query", schema: { type: "string" } };
      const declare = (path: string, tag: string, parameters: object[]) =>
        router.get({ path, experimental: { openapi: { tags: [tag], parameters: parameters as never } } }, response);
      declare("/posts", "Post", [page, title, own]);
      declare("/posts/many", "Post", [title]);
      const price = { name: "price", in: "query", schema: { $ref: "#/components/schemas/DecimalFilter" } };
      const content = z.object({ gte: z.string() }).meta({ id: "DecimalFilter" });
      router.get({ path: "/filter", experimental: { openapi: { responses: { 200: content } } } }, response);
      declare("/posts/priced", "Post", [price]);
      for (const tag of ["Tag", "Word", "User"]) declare(`/${tag}`, tag, [page, price]);
      const short = { ...page, schema: { type: "integer", maximum: 5 } };
      for (const path of ["/tags/few", "/tags/fewer"]) declare(path, "Tag", [short]);
      declare("/words/few", "Word", [short]);
    });
    await expectValid(document);
    expect((document as Loose).components.parameters).toEqual({
      Page: { name: "page", in: "query", schema: { type: "integer" } },
      PostTitle: { name: "title", in: "query", schema: { type: "string" } },
      PriceDecimal: { name: "price", in: "query", schema: { $ref: "#/components/schemas/DecimalFilter" } },
      TagPage: { name: "page", in: "query", schema: { type: "integer", maximum: 5 } },
    });
    expect(paths["/api/posts"]?.get.parameters).toEqual([
      { $ref: "#/components/parameters/Page" },
      { $ref: "#/components/parameters/PostTitle" },
      { name: "own", in: "query", schema: { type: "string" } },
    ]);
  });

  it("write a response of three operations once, under the name of its body", async () => {
    const { document, paths, schemas } = await documentOf((router) => {
      const done = z.object({ count: z.int() }).meta({ id: "DoneCount" });
      const pair = z.object({ both: z.int() }).meta({ id: "Pair" });
      for (const path of ["/a", "/b", "/c"]) {
        router.get({ path, experimental: { openapi: { responses: { 200: done } } } }, response);
      }
      for (const path of ["/d", "/e"]) {
        router.get({ path, experimental: { openapi: { responses: { 200: pair } } } }, response);
      }
    });
    await expectValid(document);
    const responseOf = (path: string) => paths[path]?.get.responses["200"];
    expect(responseOf("/api/c")).toEqual({ $ref: "#/components/responses/DoneCount" });
    const schema = { $ref: "#/components/schemas/DoneCount" };
    expect((document as Loose).components.responses.DoneCount).toEqual({
      description: "OK",
      content: { "application/json": { schema } },
    });
    expect(responseOf("/api/e").content["application/json"].schema).toEqual({ $ref: "#/components/schemas/Pair" });
    expect(Object.keys(schemas)).toEqual(["BadRequestProblem", "DoneCount", "OtherProblem", "Pair", "Problem"]);
  });
});
