import fs from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { type ServedSchema, serveSchema } from "../../../../packages/service/test/served-schema.js";
import { generateFixtures } from "../../../../scripts/test/generate-fixtures.js";
import { drawn, someOf } from "../../../../scripts/test/slow-share.js";
import { makeExerciser } from "./exercise-models.js";
import { makeSchema } from "./make-schema.js";

/** Another seed creates another schema; a long run requests everything that a model offers. */
const isLong = process.env.SERVICEKIT_LONG === "1";
const seed = Number(process.env.SERVICEKIT_SEED ?? 20);
let served: ServedSchema;
beforeAll(async () => {
  const text = makeSchema(seed, 100);
  const output = path.join(import.meta.dirname, `../generated/hundred-${seed}`);
  const schema = path.join(output, "schema.prisma");
  fs.mkdirSync(output, { recursive: true });
  fs.writeFileSync(schema, text);
  await generateFixtures([{ label: "hundred", schema, files: [["schema.prisma", text]], output }]);
  served = await serveSchema(inject("postgresUrl"), { generated: output, schema: text });
});
afterAll(() => served?.close());

it("a service of 100 models starts", () => {
  expect(served.models.size).toBe(100);
  console.log(`100 models: started in ${Math.round(served.bootMs)} ms`);
});

it("C2, C4, C7, C14 all 100 models support all eight operations", { timeout: 600_000 }, async () => {
  const { models, call } = served;
  const exerciser = makeExerciser(models, call, seed);
  for (const model of someOf([...models.values()])) await exerciser.exercise(model, isLong ? "all" : "operations");
  expect(exerciser.problems).toEqual([]);
  expect(exerciser.requests()).toBeGreaterThan(drawn(1_000));
});
