import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { type ServedSchema, serveSchema } from "../../../../packages/service/test/served-schema.js";
import { makeExerciser } from "./exercise-models.js";

const requireModule = createRequire(import.meta.url);
const ormFolder = path.resolve(import.meta.dirname, "../../../../packages/prisma");
const project = path.join(import.meta.dirname, "../generated/warehouse");

/** Runs `prisma generate` as a user does: without arguments, `prisma.config.ts` sets the schema. */
function generate(): void {
  fs.rmSync(project, { recursive: true, force: true });
  fs.cpSync(path.join(import.meta.dirname, "../projects/warehouse"), project, { recursive: true });
  // The built command `servicekit-prisma` on the path.
  const command = path.join(project, "bin/servicekit-prisma");
  fs.mkdirSync(path.dirname(command));
  fs.writeFileSync(
    command,
    `#!/bin/sh\nexec "${process.execPath}" "${path.join(ormFolder, "dist/generator/run.js")}"\n`,
  );
  fs.chmodSync(command, 0o755);
  const prisma = path.join(path.dirname(requireModule.resolve("prisma/package.json")), "build/index.js");
  execFileSync(process.execPath, [prisma, "generate"], {
    cwd: project,
    stdio: "pipe",
    env: {
      ...process.env,
      PATH: `${path.dirname(command)}${path.delimiter}${process.env.PATH}`,
      PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
      CHECKPOINT_DISABLE: "1",
    },
  });
}

let served: ServedSchema;
beforeAll(async () => {
  generate();
  const generated = path.join(project, "generated");
  fs.renameSync(path.join(generated, "service/models.ts"), path.join(generated, "models.ts"));
  served = await serveSchema(inject("postgresUrl"), {
    generated,
    schema: { directory: path.join(project, "prisma") },
  });
});
afterAll(() => served?.close());

describe("a schema of several files and several database schemas", () => {
  it("C2, C7, C8, C14 every model supports every kind of request", { timeout: 300_000 }, async () => {
    expect([...served.models.keys()].sort()).toEqual(["Box", "Item", "LogEntry", "Person", "Setting"]);
    const exerciser = makeExerciser(served.models, served.call);
    for (const model of served.models.values()) await exerciser.exercise(model);
    expect(exerciser.problems).toEqual([]);
  });

  it("isolates equal names of tables and types in two database schemas", async () => {
    const { call, sql } = served;
    const person = await call("POST", "/people", { name: "Ann", status: "LEFT" });
    const item = await call("POST", "/items", { name: "Saw", status: "RETIRED", supervisorId: person.body.data.id });
    expect([person.status, item.status]).toEqual([201, 201]);
    const stored = await sql(`SELECT i.status::text AS item, p.status::text AS person
      FROM catalog.things i JOIN people.things p ON p.id = i."supervisorId" WHERE i.id = ${item.body.data.id}`);
    expect(stored).toEqual([{ item: "out of use", person: "LEFT" }]);
    const many = await call("PATCH", "/items/many", [{ id: item.body.data.id, status: "ACTIVE" }]);
    expect(many.body.data[0].status).toBe("ACTIVE");
    const twice = await call("POST", "/people", { name: "Ann", status: "ACTIVE" });
    expect([twice.status, twice.body.code, twice.body.errors?.[0]?.path]).toEqual([409, "UniqueConstraint", "/name"]);
  });

  it("reads the unsupported column of a second file and exposes it nowhere", async () => {
    expect(served.models.get("Box")?.fieldsByName.get("size")?.kind).toBe("unsupported");
    const box = await served.call("POST", "/boxes", { code: "A1", statuses: ["ACTIVE", "RETIRED"] });
    expect(box.body).toEqual({ data: { code: "A1", statuses: ["ACTIVE", "RETIRED"] } });
  });

  it("C12 the generated Zod schemas and classes of all files can be loaded", async () => {
    const schemas = await import(path.join(project, "generated/service/schemas.ts"));
    expect(schemas.PersonCreate.safeParse({ name: "Bo", status: "ACTIVE" }).success).toBe(true);
    expect(schemas.ItemCreate.safeParse({ name: "Axe", status: "out of use" }).success).toBe(false);
    const dtos = fs.readFileSync(path.join(project, "generated/service/dtos.ts"), "utf8");
    expect(dtos).toContain("export class CreateLogEntryDto");
  });
});
