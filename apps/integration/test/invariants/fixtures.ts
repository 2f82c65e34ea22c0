import path from "node:path";
import { type Model, type Models, type ModelsData, type PrismaClientLike, readModels } from "@servicekit/prisma";
import type { TestedProvider } from "../../../../scripts/test/provider-database.js";

/** A committed schema with its generated models and client. */
export interface Fixture {
  readonly provider: TestedProvider;
  readonly data: ModelsData;
  readonly models: Models;
  readonly Client: new (options: { readonly adapter: unknown }) => PrismaClientLike;
}

const tests = path.join(import.meta.dirname, "..");

/** The models of accounts and of the service, which no case configures. */
const support: ReadonlySet<string> = new Set([
  ...["User", "AuthRole", "AuthPermission", "IdempotencyKey", "Change", "ChangePosition", "Webhook", "WebhookDelivery"],
]);

/** The models that cases configure, referenced ones first. */
export const drawnModels = (models: Models): readonly Model[] =>
  [...models.values()].filter(({ name }) => !support.has(name));

export async function readFixture(provider: TestedProvider): Promise<Fixture> {
  const folder = path.join(tests, `generated/invariants-${provider}`);
  const { models: data } = (await import(path.join(folder, "models.ts"))) as { models: ModelsData };
  const { PrismaClient: Client } = (await import(path.join(folder, "client/client.ts"))) as {
    PrismaClient: Fixture["Client"];
  };
  return { provider, data, models: readModels(data), Client };
}
