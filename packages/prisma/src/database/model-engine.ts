import type { Models } from "../models/model.js";

/** The engine that reads and writes the rows of a model. */
export type ModelEngine =
  | {
      readonly engine: "sql";
      /** The fields with a default that only Prisma Client makes, as `field (default name())`: creates without them run on it. */
      readonly fieldsByPrisma: readonly string[];
    }
  | { readonly engine: "prisma"; readonly reason: string };

/** The engine of each model, by the name of the model. */
export type ModelEngines = ReadonlyMap<string, ModelEngine>;

/** All models on Prisma Client, for one reason. */
export const prismaEngines = (models: Models, reason: string): ModelEngines =>
  new Map([...models.keys()].map((name) => [name, { engine: "prisma", reason }]));
