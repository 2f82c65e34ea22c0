import path from "node:path";
import { type ServiceInitConfig, ServiceRouter } from "@servicekit/service";
import request from "supertest";
import { afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { type ServedSchema, serveSchema } from "../../../../packages/service/test/served-schema.js";
import { makeStarter } from "../../../../packages/service/test/start.js";

const { create, closeAll } = makeStarter();
let served: ServedSchema;
const folder = (name: string) => path.join(import.meta.dirname, "../../../../packages/service/test", name, "notes");

beforeAll(async () => {
  served = await serveSchema(inject("postgresUrl"), {
    generated: folder("generated"),
    schema: { directory: folder("fixtures") },
  });
  return () => served.close();
});
afterEach(closeAll);

type Engine = "auto" | "prisma";

/** A service with Express settings, one note with the text, and a route that responds with `response.json`. */
async function start(engine: Engine, settings: Record<string, unknown>, text = "a") {
  const { models } = await import(path.join(folder("generated"), "models.ts"));
  const { PrismaClient } = await import(path.join(folder("generated"), "client/client.ts"));
  const config: ServiceInitConfig = {
    database: { models, client: ({ adapter }) => new PrismaClient({ adapter }), engine },
    configureApp: (app) => {
      for (const [name, value] of Object.entries(settings)) app.set(name, value);
    },
    use: [ServiceRouter().get({ path: "/own" }, (_request, response) => void response.json({ data: { text } }))],
  };
  const { app, database } = await create(config, {
    environment: { NODE_ENV: "test", DATABASE_URL: served.databaseUrl },
  });
  expect(database?.engines.get("Note")?.engine).toBe(engine === "auto" ? "sql" : "prisma");
  const made = await request(app).post("/api/notes").send({ text });
  return { app, made, at: `/api/notes/${made.body.data?.id ?? ""}` };
}

describe.each<Engine>(["auto", "prisma"])(
  "C83 Express settings on generated routes, with database.engine %s",
  (engine) => {
    it("C83 applies json spaces to rows, lists, writes, errors and built-in routes like response.json", async () => {
      const { app, made, at } = await start(engine, { "json spaces": 2 });
      expect((await request(app).get("/own")).text).toBe('{\n  "data": {\n    "text": "a"\n  }\n}');
      const others = await Promise.all(
        [at, "/api/notes", "/api/notes/999999", "/api/available-routes", "/api"].map((url) => request(app).get(url)),
      );
      for (const { text } of [made, ...others]) expect(text).toBe(JSON.stringify(JSON.parse(text), null, 2));
    });

    it("C83 applies json replacer", async () => {
      const { app, at } = await start(engine, {
        "json replacer": (key: string, value: unknown) => (key === "text" ? "new" : value),
      });
      for (const url of ["/own", at]) expect((await request(app).get(url)).body.data.text).toBe("new");
      expect((await request(app).get("/api/notes")).body.data.map(({ text }: { text: string }) => text)).toContain(
        "new",
      );
    });

    it("C83 applies json escape", async () => {
      const { app, at } = await start(engine, { "json escape": true }, "<a>&");
      for (const url of ["/own", at, "/api/notes"]) {
        const { text } = await request(app).get(url);
        expect(text).toContain("\\u003ca\\u003e\\u0026");
        expect(text).not.toMatch(/[<>&]/);
      }
    });

    it("C83 supports If-Match and If-None-Match of a row with a JSON format", async () => {
      const { app, at } = await start(engine, { "json spaces": 2 });
      const { etag = "" } = (await request(app).get(at)).headers;
      expect((await request(app).get(at).set("if-none-match", etag)).status).toBe(304);
      expect((await request(app).patch(at).set("if-match", etag).send({ text: "b" })).status).toBe(200);
      expect((await request(app).patch(at).set("if-match", etag).send({ text: "c" })).status).toBe(412);
    });

    it("C83 sends no ETag if etag is off", async () => {
      const { app, made, at } = await start(engine, { etag: false });
      const responses = await Promise.all(["/own", at, "/api/notes"].map((url) => request(app).get(url)));
      expect([made, ...responses].map(({ headers }) => headers.etag)).toEqual([
        undefined,
        undefined,
        undefined,
        undefined,
      ]);
    });

    it("C83 uses the strong tags or the function of etag for lists, and keeps the tag of a row", async () => {
      const strong = await start(engine, { etag: "strong" });
      expect((await request(strong.app).get("/api/notes")).headers.etag).toMatch(/^"/);
      const own = await start(engine, { etag: (body: string | Buffer) => `"own-${String(body).length}"` });
      const { headers, text } = await request(own.app).get("/api/notes");
      expect(headers.etag).toBe(`"own-${text.length}"`);
      expect(
        (
          await request(own.app)
            .get("/api/notes")
            .set("if-none-match", headers.etag ?? "")
        ).status,
      ).toBe(304);
      expect((await request(own.app).get(own.at)).headers.etag).toMatch(/^"[\w-]{27}"$/);
    });
  },
);
