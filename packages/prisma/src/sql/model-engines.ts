import { hasExtensions, logsQueries } from "../database/client-options.js";
import { type ModelEngine, type ModelEngines, prismaEngines } from "../database/model-engine.js";
import { storedFields } from "../models/is-stored.js";
import type { Model, Models, StoredField } from "../models/model.js";
import { isKnown } from "./column.js";
import { isMadeHere } from "./made-value.js";

/** The configured engine: `"auto"` uses SQL wherever its results are those of Prisma Client. */
export type Engine = "auto" | "prisma";

/** Why no model is eligible for SQL; `undefined` if models may be. */
export function reasonForPrisma(client: object, models: Models, engine: Engine): string | undefined {
  // Extensions and query logs must see all queries.
  if (hasExtensions(client)) return "the Prisma client has extensions";
  if (logsQueries(client)) return "the Prisma client logs its queries";
  // A write is more than its statement then.
  const isEmulated = [...models.values()].some(({ hasForeignKeys }) => !hasForeignKeys);
  if (isEmulated) return 'the Prisma schema sets relationMode = "prisma"';
  return engine === "prisma" ? 'database.engine is "prisma"' : undefined;
}

/** Decides for each model which engine reads and writes its rows. */
export function modelEngines(client: object, models: Models, engine: Engine): ModelEngines {
  const reason = reasonForPrisma(client, models, engine);
  if (reason !== undefined) return prismaEngines(models, reason);
  return new Map([...models].map(([name, model]) => [name, engineOf(model)]));
}

function engineOf(model: Model): ModelEngine {
  const stored = storedFields(model);
  const unknown = stored.filter((field) => !isKnown(field));
  if (unknown.length > 0) return { engine: "prisma", reason: `SQL does not support ${unknown.map(named).join(", ")}` };
  return { engine: "sql", fieldsByPrisma: stored.filter((field) => !isMadeHere(field)).map(named) };
}

const named = (field: StoredField): string =>
  `${field.name} (${isKnown(field) ? defaultText(field) : typeText(field)})`;

const defaultText = ({ default: from }: StoredField): string =>
  from !== undefined && "function" in from ? `default ${from.function}()` : "default";

const typeText = ({ type, nativeType, isList }: StoredField): string =>
  `${type}${isList ? "[]" : ""}${nativeType === undefined ? "" : ` @db.${nativeType.name}`}`;
