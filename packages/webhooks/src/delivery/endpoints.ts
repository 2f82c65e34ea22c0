import type { Database } from "@servicekit/prisma";
import type { WebhookEndpointConfig } from "../settings.js";
import { validSecrets } from "./rotated-secrets.js";
import type { WebhookModels } from "./webhook-models.js";
import type { WebhookRow } from "./webhook-row.js";

/** An endpoint that receives messages. */
export interface Endpoint {
  /** Identifies the endpoint in jobs: `id:<id>` of a webhook, `url:<url>` of the configuration. */
  readonly name: string;
  /** The row; `undefined` for an endpoint of the configuration. */
  readonly row?: WebhookRow;
  readonly url: string;
  readonly events: readonly string[];
  /** The valid ones as they are stored: they may be encrypted. */
  readonly secrets: readonly string[];
}

/** Finds endpoints. */
export interface Endpoints {
  /** The active endpoints. */
  active(): Promise<readonly Endpoint[]>;
  /** The endpoint with this name; `undefined` if it was deleted or is not active. */
  find(name: string): Promise<Endpoint | undefined>;
  /** The endpoint as it was when it was read last; `undefined` if it was not read yet, or was not active. */
  lastKnown(name: string): Endpoint | undefined;
}

/**
 * Creates the endpoints of the configuration and of the models.
 *
 * @param deletedField the field with the time of a soft deletion: deleted webhooks are not active
 */
export function makeEndpoints(
  database: Database,
  models: WebhookModels | undefined,
  configured: readonly WebhookEndpointConfig[],
  deletedField?: string,
): Endpoints {
  const fixed = configured.map(
    ({ url, events, secret }): Endpoint => ({
      ...{ name: `url:${url}`, url, events },
      secrets: typeof secret === "string" ? [secret] : secret,
    }),
  );
  const rows = models && database.of(models.webhook);
  const load = async (): Promise<readonly Endpoint[]> => {
    const where = { active: true, ...(deletedField === undefined ? {} : { [deletedField]: null }) };
    const active = (await rows?.findMany({ where })) ?? [];
    const all = [...fixed, ...active.map((row) => toEndpoint(row as unknown as WebhookRow))];
    latest = new Map(all.map((endpoint) => [endpoint.name, endpoint]));
    return all;
  };
  let latest = new Map<string, Endpoint>();
  let loading: Promise<readonly Endpoint[]> | undefined;
  return {
    active() {
      // Changes that are passed in the same tick were committed before, so one query serves all of them.
      loading ??= load().finally(() => setImmediate(() => (loading = undefined)));
      return loading;
    },
    async find(name) {
      const [, kind, id = ""] = /^(id|url):(.*)$/s.exec(name) ?? [];
      if (kind !== "id") return fixed.find((endpoint) => endpoint.name === name);
      const row = (await rows?.findUnique({ where: { id } })) as unknown as WebhookRow | null | undefined;
      const isDeleted = deletedField !== undefined && (row?.[deletedField] ?? null) !== null;
      if (row?.active !== true || isDeleted) {
        latest.delete(name);
        return undefined;
      }
      const endpoint = toEndpoint(row);
      latest.set(name, endpoint);
      return endpoint;
    },
    lastKnown: (name) => latest.get(name),
  };
}

/** Returns the endpoint of a webhook, active or not. */
export function toEndpoint(row: WebhookRow): Endpoint {
  const { id, url, events } = row;
  return { name: `id:${id}`, row, url, events, secrets: validSecrets(row) };
}
