import { isPlainObject } from "@servicekit/core/internal";
import type { Model, Models } from "@servicekit/prisma";
import { Webhook } from "standardwebhooks";
import { vi } from "vitest";
import { openReceiver, type Received } from "../../../../packages/webhooks/test/receiver.js";
import { type CallerName, callers } from "./callers.js";
import type { DrawnRequest, Setup, Values } from "./cases.js";
import type { Invariant, Violation } from "./check-cases.js";
import { drawSetup } from "./draw-setup.js";
import { featureValue } from "./features.js";
import { drawnModels } from "./fixtures.js";
import { drawWriter, makeMaterial } from "./material.js";
import { kindOf } from "./responses.js";
import { storedFields } from "./rows.js";
import { configuredSecret, type WebhookOptions } from "./service-features.js";
import { type RunningCase, startCase } from "./start-case.js";
import { drawWrite } from "./writes.js";

/** An endpoint of a caller or of the configuration, and the events that it receives. */
interface DrawnEndpoint {
  readonly owner: CallerName | "configuration";
  readonly events: readonly string[];
}

interface Case {
  readonly setup: Setup;
  readonly endpoints: readonly DrawnEndpoint[];
  readonly steps: readonly DrawnRequest[];
}

/** An endpoint that receives messages. */
interface OpenEndpoint {
  /** The path of its URL. */
  readonly path: string;
  readonly events: readonly string[];
  readonly secret: string;
  /** Its tenant; `undefined` if it receives the rows of all tenants. */
  readonly tenantId: unknown;
}

/** A row of the change log. */
interface LoggedChange {
  readonly id: bigint;
  readonly transaction: bigint;
  readonly time: Date;
  readonly model: string;
  readonly key: string;
  readonly operation: string;
  readonly before: Values | null;
  readonly after: Values | null;
}

/**
 * An endpoint receives each change with one of its events at least once, those of one row in their order, with the recorded
 * state and a valid signature. With tenants an endpoint of a caller receives the rows of its tenant alone.
 */
export const webhooks = (serverUrl: string, steps: number): Invariant<Case> => ({
  name: "webhooks",
  lists: ["steps", "endpoints"],
  draw: (draw, provider, models) => {
    const setup = drawSetup(draw, provider, models, new Set(["changes", "webhooks"]));
    const material = makeMaterial(draw, setup, models);
    const events = allEvents(models);
    const owners = [...callers, "configuration"] as const;
    return {
      setup,
      endpoints: owners.map((owner) => ({ owner, events: events.filter(() => draw.chance(0.6)) })),
      steps: Array.from({ length: steps }, () => ({ caller: drawWriter(draw), ...drawWrite(material) })),
    };
  },
  check: async ({ setup, endpoints, steps: requests }, count) => {
    const receiver = await openReceiver();
    const configured = endpoints.find(({ owner }) => owner === "configuration");
    const options: WebhookOptions = configured === undefined ? {} : { url: receiver.url, events: configured.events };
    const features = setup.features.map((one) => (one.key === "webhooks" ? { ...one, value: options } : one));
    const running = await startCase({ ...setup, features }, serverUrl);
    try {
      const open = await openEndpoints(running, receiver.url, endpoints, setup);
      const since = (await readChanges(running)).at(-1)?.id ?? 0n;
      for (const request of requests) count(kindOf(request, await running.send(request)));
      const changes = await readChanges(running);
      const violations = await Promise.all(
        open.map((endpoint) => {
          const messages = () => receiver.received.filter(({ path }) => path === endpoint.path);
          return checkEndpoint(
            endpoint,
            messages,
            { changes, since, hidden: hiddenFields(setup, running.models) },
            count,
          );
        }),
      );
      return violations.flat();
    } finally {
      await running.close();
      await receiver.close();
    }
  },
});

const verbs: Readonly<Record<string, string>> = { create: "created", update: "updated", delete: "deleted" };

const eventOf = (model: string, operation: string): string =>
  `${model.slice(0, 1).toLowerCase()}${model.slice(1)}.${verbs[operation]}`;

const allEvents = (models: Models): readonly string[] =>
  drawnModels(models).flatMap(({ name }) => Object.keys(verbs).map((operation) => eventOf(name, operation)));

const readChanges = async (running: RunningCase) => (await running.changes()) as unknown as readonly LoggedChange[];

/** Creates the endpoints of callers. A caller without the right has none. */
async function openEndpoints(
  running: RunningCase,
  url: string,
  endpoints: readonly DrawnEndpoint[],
  { features }: Setup,
): Promise<readonly OpenEndpoint[]> {
  const hasTenants = featureValue(features, "tenant") !== undefined;
  const open: OpenEndpoint[] = [];
  for (const { owner, events } of endpoints) {
    if (events.length === 0) continue;
    if (owner === "configuration") {
      open.push({ path: "/configuration", events, secret: configuredSecret, tenantId: undefined });
      continue;
    }
    const request = { caller: owner, method: "POST", target: "/webhooks", body: { url: `${url}/${owner}`, events } };
    const { status, body } = await running.send(request);
    if (status !== 201) continue;
    const { secret, tenantId } = body.data;
    open.push({ path: `/${owner}`, events, secret, tenantId: hasTenants ? (tenantId ?? null) : undefined });
  }
  return open;
}

/** The names of the fields that no message contains, by the name of the model. */
function hiddenFields({ features }: Setup, models: Models): ReadonlyMap<string, readonly string[]> {
  const namesOf = (model: Model): readonly string[] => {
    const annotated = storedFields(model).filter(({ annotations }) => annotations.hidden);
    const configured = (featureValue(features, "hidden", model.name) ?? []) as readonly string[];
    return [...annotated.map(({ name }) => name), ...configured];
  };
  return new Map(drawnModels(models).map((model) => [model.name, namesOf(model)]));
}

/** What the messages to an endpoint are compared with. */
interface Expectation {
  /** All changes, in their order. */
  readonly changes: readonly LoggedChange[];
  /** The last change before the endpoints were open. */
  readonly since: bigint;
  readonly hidden: ReadonlyMap<string, readonly string[]>;
}

async function checkEndpoint(
  endpoint: OpenEndpoint,
  messages: () => readonly Received[],
  { changes, since, hidden }: Expectation,
  count: (name: string) => void,
): Promise<readonly Violation[]> {
  const violationOf = (kind: string, detail: string): readonly Violation[] => [
    { kind: `${kind} message`, detail: `${endpoint.path}: ${detail}` },
  ];
  const allowed = new Map(
    changes.filter((change) => mayReceive(endpoint, change)).map((change) => [idOf(change), change]),
  );
  const expected = [...allowed].filter(([, { id }]) => id > since).map(([id]) => id);
  const missing = (): readonly string[] => {
    const received = new Set(messages().map(messageId));
    return expected.filter((id) => !received.has(id));
  };
  await vi.waitUntil(() => missing().length === 0, patience).catch(() => undefined);
  const [first] = missing();
  if (first !== undefined) return violationOf("missing", textOf(allowed.get(first)));
  count(endpoint.tenantId === undefined ? "endpoint of all tenants" : "endpoint of a tenant");
  const last = new Map<string, bigint>();
  const received = new Set<string>();
  for (const message of messages()) {
    const id = messageId(message);
    const change = allowed.get(id);
    if (change === undefined) return violationOf("foreign", message.body);
    const { type, timestamp, data } = new Webhook(endpoint.secret).verify(
      message.body,
      message.headers as Record<string, string>,
    ) as Values;
    const state = {
      type: eventOf(change.model, change.operation),
      timestamp: change.time,
      data: change.after ?? change.before,
    };
    if (textOf({ type, timestamp, data }) !== textOf(state))
      return violationOf("other", `${message.body} for ${textOf(change)}`);
    const shown = hidden.get(change.model)?.filter((name) => name in (data as Values)) ?? [];
    if (shown.length > 0) return violationOf("disclosing", `${shown.join()} in ${message.body}`);
    count("message");
    if (received.has(id)) continue;
    received.add(id);
    const row = `${change.model} ${change.key}`;
    if ((last.get(row) ?? 0n) > change.id) return violationOf("late", `${message.body} after change ${last.get(row)}`);
    last.set(row, change.id);
  }
  return [];
}

/** For messages that do not arrive. */
const patience = { timeout: 60_000, interval: 50 };

const messageId = ({ headers }: Received): string => String(headers["webhook-id"]);

const idOf = ({ id, transaction, time }: LoggedChange): string => `evt_${id}_${transaction}_${time.getTime()}`;

/** Whether an endpoint receives a change: a row that has always been of its tenant. */
function mayReceive({ events, tenantId }: OpenEndpoint, { model, operation, before, after }: LoggedChange): boolean {
  if (!events.includes(eventOf(model, operation))) return false;
  return tenantId === undefined || [before, after].every((state) => state === null || state.tenantId === tenantId);
}

/** Equal for values with equal content. */
const textOf = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) => {
    if (typeof inner === "bigint") return String(inner);
    return isPlainObject(inner) ? Object.fromEntries(Object.entries(inner).sort(byName)) : inner;
  });

const byName = ([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number =>
  one < other ? -1 : 1;
