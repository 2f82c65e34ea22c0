import { StartupError } from "@servicekit/core";
import request from "supertest";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import type { ServiceInitConfig } from "../src/config/service-config.js";
import { ServiceRouter } from "../src/index.js";
import { makeStarter } from "./start.js";

// None of these tests connects to a database.
const generated = "./generated/notes";
const { create: start, closeAll } = makeStarter();
afterEach(closeAll);

const withModels = async (): Promise<ServiceInitConfig> => {
  const { PrismaClient } = await import(/* @vite-ignore */ `${generated}/client/client.ts`);
  const { models } = await import(/* @vite-ignore */ `${generated}/models.ts`);
  return { database: { models, client: ({ adapter }) => new PrismaClient({ adapter }) } };
};
const around = (nodeEnv = "test") => ({
  environment: { NODE_ENV: nodeEnv, DATABASE_URL: "postgresql://localhost:1/nowhere" },
});

// biome-ignore lint/suspicious/noExplicitAny: a document is read at any depth
type Loose = any;
async function documentOf(config: ServiceInitConfig, nodeEnv?: string): Promise<Loose> {
  const { app } = await start(config, around(nodeEnv));
  const { status, body } = await request(app).get("/api/api-docs.json");
  expect(status).toBe(200);
  return body;
}

describe("C47 the documentation of a service", () => {
  it.each([
    ["development", {}, 200],
    ["test", {}, 200],
    ["production", {}, 404],
    ["production", { enableAfterBuild: true }, 200],
    ["production", { enableAfterBuild: false }, 404],
  ])("responds with NODE_ENV=%s and %o with %i", async (nodeEnv, block, expected) => {
    const { app } = await start({ apidocs: { mode: "orm", ...block } }, around(nodeEnv));
    for (const path of ["/api/api-docs", "/api/api-docs.json", "/api/api-docs.yaml", "/api/api-docs/reference"]) {
      expect((await request(app).get(path)).status).toBe(expected);
    }
  });

  it("is available as a value in every environment, equal to the served one", async () => {
    const served = await start(await withModels(), around());
    const { body } = await request(served.app).get("/api/api-docs.json");
    expect(JSON.parse(JSON.stringify(await served.openapi()))).toEqual(body);
    const hidden = await (await start(await withModels(), around("production"))).openapi();
    const pages = Object.keys(body.paths).filter((path) => path.startsWith("/api/api-docs"));
    expect(pages).toEqual(["/api/api-docs.json", "/api/api-docs.yaml"]);
    expect(Object.keys(hidden.paths)).toEqual(Object.keys(body.paths).filter((path) => !pages.includes(path)));
  });

  it("is at the configured endpoint and nowhere else; routers.disable removes it", async () => {
    const { app } = await start({ apidocs: { mode: "orm", endpoint: "/docs" } }, around());
    expect((await request(app).get("/docs.json")).status).toBe(200);
    expect((await request(app).get("/docs/reference")).status).toBe(200);
    expect((await request(app).get("/api/api-docs.json")).status).toBe(404);
    const without = await start({ routers: { disable: ["api-docs"] } }, around());
    expect((await request(without.app).get("/api/api-docs.json")).status).toBe(404);
  });

  it("passes options to the document and to both pages", async () => {
    const definition = {
      info: { title: "Notes", version: "3.0.0", description: "All of them." },
      servers: [{ url: "https://notes.example.com" }],
      externalDocs: { url: "https://example.com/manual" },
      tags: [{ name: "Note", description: "What was written down." }],
    };
    const config = { ...(await withModels()) };
    const { app } = await start(
      {
        ...config,
        apidocs: {
          mode: "orm",
          options: { definition, deepLinking: true, tryItOutEnabled: true },
          referenceUiConfiguration: { theme: "moon" },
        },
      },
      around(),
    );
    const { body } = await request(app).get("/api/api-docs.json");
    expect(body).toMatchObject({
      info: definition.info,
      servers: definition.servers,
      externalDocs: definition.externalDocs,
    });
    expect(body.tags[0]).toEqual(definition.tags[0]);
    const swagger = (await request(app).get("/api/api-docs/swagger-ui-init.js")).text;
    expect(swagger).toMatch(/"deepLinking": true/);
    expect(swagger).toMatch(/"tryItOutEnabled": true/);
    expect(swagger).not.toContain("notes.example.com");
    expect((await request(app).get("/api/api-docs/scalar-init.js")).text).toContain('"theme":"moon"');
  });

  it("uses package.json as the default, and the origin of the request", async () => {
    const { info, servers } = await documentOf({});
    expect(info).toMatchObject({
      title: "service",
      version: expect.stringMatching(/^\d+\./),
      license: { name: "MIT" },
    });
    expect(servers).toEqual([{ url: "/" }]);
    expect((await documentOf({ publicUrl: "https://api.example.com" })).servers).toEqual([
      { url: "https://api.example.com" },
    ]);
  });

  it("has no operation for a 404 or 405, and no omitted one", async () => {
    const router = ServiceRouter();
    const reply = (_request: unknown, response: { end(): void }) => response.end();
    router.get({ path: "/api/shown" }, reply);
    router.get({ path: "/api/secret", experimental: { openapi: false } }, reply);
    router.get({ path: "/api/off", disabled: true }, reply);
    const { paths } = await documentOf({ ...(await withModels()), use: [router], routers: { strict: "no-bulk" } });
    expect(Object.keys(paths)).not.toContain("/api/secret");
    expect(Object.keys(paths)).not.toContain("/api/off");
    expect(Object.keys(paths)).not.toContain("/api/notes/many");
    expect(Object.keys(paths["/api/shown"])).toEqual(["get"]);
    expect(Object.keys(paths["/api/notes/{id}"]).sort()).toEqual(["delete", "get", "patch"]);
  });
});

describe("C47 apidocs.mode", () => {
  const create = z.strictObject({ text: z.string().max(5) });
  const bodyOf = (document: Loose, path: string, method: string): Loose => {
    const { $ref, ...schema } = document.paths[path][method].requestBody.content["application/json"].schema;
    const named = (reference: string): Loose => document.components.schemas[reference.split("/").at(-1) ?? ""];
    const { allOf = [], unevaluatedProperties, ...found } = $ref === undefined ? schema : named($ref);
    // What several bodies share is a separate component.
    const parts = allOf.map((part: Loose) => (part.$ref === undefined ? part : named(part.$ref)));
    const properties = Object.assign({}, ...parts.map((part: Loose) => part.properties), found.properties);
    return { ...(unevaluatedProperties === false ? { additionalProperties: false } : {}), ...found, properties };
  };

  it.each(["orm", "prisma"] as const)("%s documents the models, whatever schemas modules have", async (mode) => {
    const document = await documentOf({
      ...(await withModels()),
      models: { Note: { schemas: { create } } },
      apidocs: { mode },
    });
    expect(bodyOf(document, "/api/notes", "post")).toMatchObject({
      properties: { text: { type: "string" } },
      required: ["text"],
      additionalProperties: false,
    });
    expect(bodyOf(document, "/api/notes", "post").properties).toEqual({ text: { type: "string" } });
  });

  it.each(["schema-lib", "zod"] as const)(
    "%s documents the Zod schemas of modules, and otherwise the models",
    async (mode) => {
      const document = await documentOf({
        ...(await withModels()),
        models: { Note: { schemas: { create } } },
        apidocs: { mode },
      });
      expect(bodyOf(document, "/api/notes", "post")).toMatchObject({
        properties: {
          text: { type: "string", maxLength: 5 },
        },
        required: ["text"],
        additionalProperties: false,
      });
      expect(bodyOf(document, "/api/notes/{id}", "patch").properties).toEqual({ text: { type: "string" } });
    },
  );

  it("class-lib documents the models if modules have no class", async () => {
    const document = await documentOf({ ...(await withModels()), apidocs: { mode: "class-lib" } });
    expect(Object.keys(bodyOf(document, "/api/notes", "post").properties)).toEqual(["text"]);
  });

  it("strict prevents startup and names every operation without a schema of the mode", async () => {
    const models = await withModels();
    const text = async (apidocs: NonNullable<ServiceInitConfig["apidocs"]>, schemas = {}): Promise<string> => {
      try {
        await start({ ...models, models: { Note: { schemas } }, apidocs }, around());
        return "";
      } catch (error) {
        expect(error).toBeInstanceOf(StartupError);
        return (error as StartupError).message;
      }
    };
    const message = await text({ mode: "schema-lib", strict: true });
    for (const operation of ["createOne", "createMany", "updateOne", "updateMany"])
      expect(message).toContain(operation);
    const half = await text({ mode: "schema-lib", strict: true }, { create });
    expect(half).not.toContain("createOne");
    expect(half).toContain("updateOne");
    expect(await text({ mode: "class-lib", strict: true }, { create })).toContain("DTO class");
    expect(await text({ mode: "schema-lib", strict: true }, { create, update: create.partial() })).toBe("");
    expect(await text({ mode: "orm", strict: true })).toBe("");
    expect(await text({ mode: "schema-lib" })).toBe("");
  });
});

describe("C47 a generated route", () => {
  it("accepts a form with the limits of its uploads, in addition to JSON", async () => {
    const uploads = {
      createOne: { type: "single", field: "cover", maxSize: 10, allowedFileTypes: ["png"], attachToBody: false },
    } as const;
    const { paths, components } = await documentOf({ ...(await withModels()), models: { Note: { uploads } } });
    const { content } = paths["/api/notes"].post.requestBody;
    expect(Object.keys(content)).toEqual(["multipart/form-data", "application/json"]);
    const form = components.schemas[content["multipart/form-data"].schema.$ref.split("/").at(-1)];
    expect(form.properties).toMatchObject({
      text: { type: "string" },
      cover: { type: "string", format: "binary", description: "A file, at most 10 bytes, of the types png." },
    });
    expect(form.required).toEqual(["text"]);
    expect(content["application/json"].schema).toEqual({ $ref: "#/components/schemas/NoteCreate" });
  });
});

describe("C47 a declared route", () => {
  it("is documented with all three forms of responses, unions, transforms and uploads", async () => {
    interface Branch {
      readonly name: string;
      readonly branches: readonly Branch[];
    }
    const branch: z.ZodType<Branch> = z
      .object({ name: z.string(), branches: z.lazy(() => z.array(branch)) })
      .meta({ id: "Branch" });
    const router = ServiceRouter();
    router.post(
      {
        path: "/api/trees",
        validation: {
          body: z.strictObject({
            root: branch,
            count: z.string().transform(Number),
            shape: z.discriminatedUnion("kind", [
              z.object({ kind: z.literal("round"), radius: z.number() }),
              z.object({ kind: z.literal("square"), side: z.number() }),
            ]),
          }),
        },
        experimental: {
          openapi: {
            responses: {
              200: z.object({ at: z.date(), size: z.bigint() }),
              201: { content: { type: "object", properties: { id: { type: "integer" } } }, description: "Planted." },
              202: { description: "A picture.", content: { "image/png": { schema: { type: "string" } } } },
            },
          },
        },
      },
      (_request, response) => response.end(),
    );
    router.post(
      {
        path: "/api/pictures",
        experimental: {
          uploads: { type: "array", field: "pictures", maxCount: 3, maxSize: 1000, allowedFileTypes: ["png"] },
        },
      },
      (_request, response) => response.end(),
    );
    const { paths, components } = await documentOf({ use: [router] });
    const { requestBody, responses } = paths["/api/trees"].post;
    const body = components.schemas[requestBody.content["application/json"].schema.$ref.split("/").at(-1)];
    expect(body.properties.root).toEqual({ $ref: "#/components/schemas/Branch" });
    expect(components.schemas.Branch.properties.branches).toEqual({
      type: "array",
      items: { $ref: "#/components/schemas/Branch" },
    });
    expect(body.properties.count).toEqual({ type: "string" });
    expect(JSON.stringify(body.properties.shape)).toMatch(/"const":"round".*"const":"square"/);
    expect(responses["200"].content["application/json"].schema.properties).toMatchObject({
      at: { type: "string", format: "date-time" },
      size: { type: "string" },
    });
    expect(responses["201"]).toMatchObject({
      description: "Planted.",
      content: { "application/json": { schema: { properties: { id: { type: "integer" } } } } },
    });
    expect(responses["202"].content["image/png"]).toEqual({ schema: { type: "string" } });
    const form = paths["/api/pictures"].post.requestBody.content["multipart/form-data"].schema;
    const { pictures } = components.schemas[form.$ref.split("/").at(-1)].properties;
    expect(pictures).toMatchObject({ type: "array", maxItems: 3, items: { type: "string", format: "binary" } });
    expect(pictures.items.description).toMatch(/1000 bytes.*png/);
  });
});
