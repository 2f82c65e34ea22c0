import { OpenAPIRegistry, OpenApiGeneratorV31 } from "@asteasolutions/zod-to-openapi";
import { makeErrorHandler, makeRouteTable, ServiceRouter } from "@servicekit/router";
import express from "express";
import request from "supertest";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { parse } from "yaml";
import { makeDocsRouter, readApiDocsSettings } from "../src/index.js";

function makeApp(endpoint = "/api/api-docs", more: object = {}) {
  const app = express();
  const router = ServiceRouter();
  router.get({ path: "/api/posts" }, (_request, response) => void response.json([]));
  app.use(router);
  const config = {
    endpoint,
    mode: "zod" as const,
    options: {
      definition: { info: { title: "Shop </script><b>" }, servers: [{ url: "https://api.example.com/x" }] },
      ...more,
    },
    referenceUiConfiguration: { theme: "moon" },
  };
  app.use(
    makeDocsRouter({
      settings: readApiDocsSettings(config, { nodeEnv: "test" }),
      document: () => ({
        table: makeRouteTable(app.router),
        serverUrl: "http://localhost:1",
        surrounding: { isLimited: () => false, isAuthenticated: false, hasTimeLimit: false },
      }),
    }),
  );
  app.use(makeErrorHandler());
  return app;
}

/** Adds the two keys to each value of a map of maps. */
const namesOf = (maps: Readonly<Record<string, object>>): string[][] =>
  Object.entries(maps).flatMap(([outer, named]) => Object.keys(named).map((name) => [outer, name]));

describe("C47 the documentation routes", () => {
  it("show customCss and customSiteTitle", async () => {
    const options = { customCss: ".mine { color: red } </style><b>", customSiteTitle: "My <shop>", deepLinking: true };
    const { text } = await request(makeApp("/docs", options)).get("/docs").expect(200);
    expect(text).toContain(".mine { color: red } <\\/style><b>");
    expect(text).toContain("<title>My &lt;shop&gt;</title>");
    const { text: init } = await request(makeApp("/docs", options)).get("/docs/swagger-ui-init.js").expect(200);
    expect(init).toContain("deepLinking");
    expect(init).not.toContain("mine");
  });

  it("serve the same document as JSON and as YAML", async () => {
    const app = makeApp();
    const json = await request(app).get("/api/api-docs.json").expect(200);
    expect(json.headers["content-type"]).toBe("application/json; charset=utf-8");
    expect(Object.keys(json.body.paths)).toEqual(["/api/api-docs.json", "/api/api-docs.yaml", "/api/posts"]);
    const yaml = await request(app).get("/api/api-docs.yaml").expect(200);
    expect(yaml.headers["content-type"]).toBe("application/yaml; charset=utf-8");
    expect(parse(yaml.text)).toEqual(json.body);
  });

  it("serve the document that zod-to-openapi's registry and generator assemble once, at the first request", async () => {
    const registerPath = vi.spyOn(OpenAPIRegistry.prototype, "registerPath");
    const registerComponent = vi.spyOn(OpenAPIRegistry.prototype, "registerComponent");
    const generateDocument = vi.spyOn(OpenApiGeneratorV31.prototype, "generateDocument");
    onTestFinished(() => void vi.restoreAllMocks());
    const app = makeApp();
    await request(app).get("/api/posts").expect(200);
    expect(registerPath).not.toHaveBeenCalled();
    const { body } = await request(app).get("/api/api-docs.json").expect(200);
    await request(app).get("/api/api-docs.yaml").expect(200);
    const paths = registerPath.mock.calls.map(([{ method, path }]) => [path, method]);
    expect(paths).toEqual(namesOf(body.paths));
    expect(registerComponent.mock.calls.map(([kind, name]) => [kind, name])).toEqual(namesOf(body.components));
    expect(generateDocument).toHaveBeenCalledOnce();
    const generated = JSON.parse(JSON.stringify(generateDocument.mock.results[0]?.value));
    expect(body.paths).toEqual(generated.paths);
  });

  it.each(["/api/api-docs", "/docs"])("serve every file of both pages themselves, at %s", async (endpoint) => {
    const app = makeApp(endpoint);
    for (const page of [endpoint, `${endpoint}/reference`]) {
      const { text, headers } = await request(app).get(page).expect(200);
      expect(headers["content-type"]).toBe("text/html; charset=utf-8");
      expect(headers["content-security-policy"]).toContain("script-src 'self';");
      expect(headers["content-security-policy"]).toContain("connect-src 'self' https://api.example.com;");
      expect(text).not.toContain("</script><b>");
      expect(text).not.toMatch(/(src|href)="(https?:)?\/\//);
      expect(text).not.toMatch(/<script>|<script [^>]*>[^<]*\S[^<]*<\/script>/);
      const files = [...text.matchAll(/(?:src|href)="(?!data:)([^"#]+)"/g)].map(([, file = ""]) => file);
      expect(files.length).toBeGreaterThan(1);
      for (const file of files) {
        const url = new URL(file, `http://localhost${page}`);
        await request(app).get(url.pathname).expect(200);
      }
    }
  });

  it.each(["/api/api-docs/", "/api/api-docs/reference/"])("redirect %s to the page without the slash", async (page) => {
    const { status, headers } = await request(makeApp()).get(page);
    expect(status).toBe(308);
    expect(new URL(String(headers.location), `http://localhost${page}`).pathname).toBe(page.slice(0, -1));
  });

  it("pass on the options of both pages", async () => {
    const app = makeApp();
    const scalar = await request(app).get("/api/api-docs/scalar-init.js").expect(200);
    expect(scalar.headers["content-type"]).toBe("text/javascript; charset=utf-8");
    expect(scalar.text).toContain('"theme":"moon"');
    expect(scalar.text).toContain('"modelsSectionLabel":"Schemas"');
    const swagger = await request(app).get("/api/api-docs/swagger-ui-init.js").expect(200);
    expect(swagger.text).toContain('"url": "./api-docs.json"');
  });

  it("serve the script that edits filters in Swagger UI", async () => {
    const app = makeApp();
    const { text } = await request(app).get("/api/api-docs").expect(200);
    expect(text).toContain("<script src='api-docs/filter-inputs.js'></script>");
    const { text: script } = await request(app).get("/api/api-docs/filter-inputs.js").expect(200);
    expect(script).toContain("JsonSchema_object");
  });

  it("C75 describe the service as llms.txt, on lines that an application's texts do not break", async () => {
    const definition = {
      info: { title: "Shop\n# of mine", description: "Sells\n\n## things." },
      tags: [{ name: "Posts", description: "What is\n- written." }],
    };
    const { text, headers } = await request(makeApp("/docs", { definition })).get("/docs/llms.txt").expect(200);
    expect(headers["content-type"]).toBe("text/plain; charset=utf-8");
    const lines = text.split("\n");
    expect(lines.slice(0, 3)).toEqual(["# Shop # of mine", "", "> Sells ## things."]);
    expect(lines).toContain("What is - written.");
    expect(lines.filter((line) => line.startsWith("- `"))).toEqual([
      "- `GET /api/posts`: GET /api/posts",
      "- `GET /docs.json`: This document as JSON.",
      "- `GET /docs.yaml`: This document as YAML.",
    ]);
    for (const [, link = ""] of text.matchAll(/\]\(([^)]+)\)/g)) {
      const { pathname } = new URL(link, "http://localhost/docs/llms.txt");
      await request(makeApp("/docs")).get(pathname).expect(200);
    }
  });

  it("C75 serve the schemas alone, as one JSON Schema whose references stay within it", async () => {
    const { body, headers } = await request(makeApp()).get("/api/api-docs/schemas.json").expect(200);
    expect(headers["content-type"]).toBe("application/schema+json; charset=utf-8");
    expect(body.$schema).toBe("https://json-schema.org/draft/2020-12/schema");
    expect(Object.keys(body.$defs)).toContain("Problem");
    expect(JSON.stringify(body)).not.toContain("#/components");
  });

  it.each(["package.json", "..%2f..%2fpackage.json", "absolute-path.js", "%00", "index.html"])(
    "serve no other file of the packages: %s",
    async (file) => {
      const { status, body } = await request(makeApp()).get(`/api/api-docs/${file}`);
      expect([status, body.code]).toEqual([404, "NotFound"]);
    },
  );
});
