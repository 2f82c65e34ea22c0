import { StartupError } from "@servicekit/core";
import { describeFound } from "@servicekit/core/schema";
import { computedModels, type ModelConfig } from "@servicekit/model-router";
import { omittedModels } from "@servicekit/model-router/internal";
import { type Models, type PrismaClientLike } from "@servicekit/prisma";
import { isOmitted, providerIssue, resultFields } from "@servicekit/prisma/internal";
import type { DatabaseConfig, PostgresAdapter } from "../config/service-config.js";

/** The configuration of each model by its name. */
export type ModelConfigs = Readonly<Record<string, ModelConfig>>;

/** A `database.client` that takes an adapter. */
export type MakeClient = Extract<DatabaseConfig["client"], (...given: never[]) => unknown>;

/** A client of another database rejects the adapter with its own message (contract C77). */
export function makeClient(
  make: MakeClient,
  adapter: object,
): { readonly made: PrismaClientLike; readonly usesAdapter: boolean } {
  let usesAdapter = false;
  const given = {
    get adapter() {
      usesAdapter = true;
      return adapter as PostgresAdapter;
    },
  };
  try {
    const made: unknown = make(given);
    if (!isClient(made)) throw notAClient(made);
    rejectReplicaExtension(made);
    return { made, usesAdapter };
  } catch (error) {
    const [, provider] = /not compatible with the provider `(\w+)`/.exec(String(error)) ?? [];
    const foreign = providerIssue(provider);
    if (foreign === undefined) throw error;
    throw new StartupError([{ where: "database.client", message: foreign }]);
  }
}

const isClient = (made: unknown): made is PrismaClientLike =>
  typeof made === "object" && made !== null && !(made instanceof Promise);

function notAClient(made: unknown): StartupError {
  const expected = "({ adapter }) => new PrismaClient({ adapter })";
  const message = `The function returned ${describeFound(made)} in place of a Prisma client. Expected ${expected}.`;
  return new StartupError([{ where: "database.client", message }]);
}

/**
 * The extension reads from any replica outside of transactions, also sessions and what the client has just written.
 *
 * @throws {StartupError} for a client with `@prisma/extension-read-replicas`
 */
export function rejectReplicaExtension(client: object): void {
  if (typeof (client as { readonly $replica?: unknown }).$replica !== "function") return;
  const message =
    "has @prisma/extension-read-replicas, with which sessions and own writes would be read from any replica. Remove it, and set database.replicas.";
  throw new StartupError([{ where: "database.client", message }]);
}

/** The models as the client returns their rows: with computed fields; fields in its `omit` are write-only. */
export function modelsOf(client: object, models: Models, configs: ModelConfigs): Models {
  const shown = omittedModels(models, (model, { name }) => isOmitted(client, model, name));
  return computedModels(shown, configs, (model) => resultFields(client, model));
}
