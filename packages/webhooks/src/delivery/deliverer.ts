import type { Database } from "@servicekit/prisma";
import type { SecretCipher } from "../secret-cipher.js";
import type { Attempt, Sender } from "../sender.js";
import type { Endpoint, Endpoints } from "./endpoints.js";
import type { EventMessage } from "./events.js";
import { makeStoreAttempt } from "./store-attempt.js";
import type { WebhookModels } from "./webhook-models.js";

/** A message for one endpoint. */
export interface DeliveryJob extends EventMessage {
  /** The name of the endpoint. */
  readonly endpoint: string;
}

/** A running attempt to deliver a message. */
export interface DeliveryRun {
  /** 1 for the first attempt. */
  readonly attempt: number;
  /** Whether the message is not sent again if this attempt fails. */
  readonly isLast: boolean;
}

/** The result of a job. */
export interface DeliveryResult {
  /**
   * `delivered`; `skipped` if the endpoint does not exist anymore or is not active; `retry` if the message must be sent
   * again later; `failed` if it must not.
   */
  readonly outcome: "delivered" | "skipped" | "retry" | "failed";
  /** Why it was not delivered. */
  readonly reason?: string;
  /** How long the endpoint wants no further attempt, in milliseconds. */
  readonly retryAfterMs?: number;
}

/** Receives log lines, such as a pino logger. */
export interface DeliveryLog {
  /** Logs a failure, with the webhook and the reason. */
  warn(fields: object, message: string): void;
}

/** The options of a deliverer. */
export interface DelivererOptions {
  readonly sender: Sender;
  readonly endpoints: Endpoints;
  /** Decrypts the secrets of endpoints. */
  readonly cipher: SecretCipher;
  readonly database: Database;
  readonly models: WebhookModels | undefined;
  /** Days of failures after which a webhook is deactivated. */
  readonly deactivateAfterDays: number;
  readonly log: DeliveryLog;
  /** Called after each attempt. */
  readonly onAttempt?: (delivered: boolean) => void;
  /** Called when a webhook is deactivated. */
  readonly onDeactivated?: () => void;
}

/** Delivers messages to endpoints. */
export interface Deliverer {
  /**
   * Sends the message of a job once, logs the attempt in the delivery log, and deactivates webhooks that fail too long.
   *
   * @throws {Error} if the database fails: the message must then be sent again
   */
  deliver(job: DeliveryJob, run: DeliveryRun): Promise<DeliveryResult>;
  /** How many attempts of an endpoint may run at the same time: fewer of one that fails or is slow. */
  limitOf(endpoint: string): number;
  /** Sends a message to an endpoint now, whatever its state is. */
  sendNow(endpoint: Endpoint, message: EventMessage): Promise<Attempt>;
}

/** The maximum number of attempts of an endpoint that run at the same time in one process. */
export const maxPerEndpoint = 4;
/** The duration of an attempt from which an endpoint is slow, in milliseconds. */
const slowMs = 1_000;

const dayMs = 86_400_000;

/** Creates a deliverer. */
export function makeDeliverer(options: DelivererOptions): Deliverer {
  const { sender, endpoints, cipher, database, models, deactivateAfterDays, log, onAttempt, onDeactivated } = options;
  /** The endpoints whose last attempt failed or was slow. They would occupy the attempts of all others. */
  const troubled = new Set<string>();

  const send = async ({ url, secrets: stored }: Endpoint, { event: id, body }: EventMessage): Promise<Attempt> => {
    const time = new Date();
    try {
      const secrets = await Promise.all(stored.map((secret) => cipher.decrypt(secret)));
      return await sender.send({ url, secrets }, { id, body });
    } catch (error) {
      return { delivered: false, error: (error as Error).message, time, duration: 0 };
    }
  };
  const store = makeStoreAttempt(database, models);
  /** @returns whether the webhook was active */
  const update = async (endpoint: Endpoint, data: Readonly<Record<string, unknown>>): Promise<boolean> => {
    if (endpoint.row === undefined || models === undefined) return false;
    const where = { id: endpoint.row.id, active: true };
    const updated = await database.of(models.webhook).updateMany({ where, data, select: { id: true } });
    return updated.length > 0;
  };
  const deactivate = async (endpoint: Endpoint, disabledReason: string): Promise<void> => {
    // Another attempt may have deactivated it already.
    if (!(await update(endpoint, { active: false, disabledReason }))) return;
    log.warn({ webhook: endpoint.name, reason: disabledReason }, "a webhook was deactivated");
    onDeactivated?.();
  };
  /** @returns whether the endpoint receives no further messages */
  const noteFailure = async (endpoint: Endpoint, { status, time }: Attempt): Promise<boolean> => {
    if (status === 410) {
      await deactivate(endpoint, "The endpoint responded with 410 Gone.");
      return true;
    }
    const since = endpoint.row?.failingSince ?? null;
    if (since === null) await update(endpoint, { failingSince: time });
    else if (time.getTime() - new Date(since).getTime() >= deactivateAfterDays * dayMs) {
      await deactivate(endpoint, `All attempts have failed for ${deactivateAfterDays} days.`);
      return true;
    }
    return false;
  };

  return {
    async deliver({ endpoint: name, ...message }, { attempt: number, isLast }) {
      const endpoint = await endpoints.find(name);
      if (endpoint === undefined) return { outcome: "skipped", reason: `The webhook ${name} is not active.` };
      const attempt = await send(endpoint, message);
      const { delivered, duration, retryAfterMs } = attempt;
      if (delivered && duration < slowMs) troubled.delete(name);
      else troubled.add(name);
      onAttempt?.(delivered);
      const isGone = delivered ? false : await noteFailure(endpoint, attempt);
      const outcome = delivered ? "delivered" : isGone || isLast ? "failed" : "retry";
      await store(endpoint, message, attempt, { attempt: number, state: storedStates[outcome] });
      if (delivered) {
        if (endpoint.row?.failingSince != null) await update(endpoint, { failingSince: null });
        return { outcome };
      }
      const reason = `${name}: ${attempt.error ?? `The response has the status ${attempt.status}.`}`;
      return { outcome, reason, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
    },
    limitOf: (name) => (troubled.has(name) ? 1 : maxPerEndpoint),
    async sendNow(endpoint, message) {
      const attempt = await send(endpoint, message);
      await store(endpoint, message, attempt, { attempt: 1, state: attempt.delivered ? "delivered" : "failed" });
      return attempt;
    },
  };
}

const storedStates = { delivered: "delivered", retry: "retrying", failed: "failed" } as const;
