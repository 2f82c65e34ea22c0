import { httpErrors, isHttpError } from "@servicekit/core";
import { makeFairQueue } from "@servicekit/core/internal";
import { allOf, type Filter, toWhere } from "@servicekit/prisma/internal";
import { callerOf, identityOf, type ServiceRouter } from "@servicekit/router";
import { clientAddress, declareRoute } from "@servicekit/router/internal";
import type { Request, RequestHandler } from "express";
import { operationAccess } from "../access/operation-access.js";
import { type Access, accessOf, callersResource, guardOf, reachableRows } from "../access/request-access.js";
import { type CallersView, eventText, filterKey, makeWriteEvents, type WriteEvents } from "../events/callers-events.js";
import type { ChangeFeed } from "../events/change-feed.js";
import { type EventStream, openEventStream } from "../events/event-stream.js";
import { limitStreams, type StreamLimits } from "../events/stream-limits.js";
import type { ModelConfig } from "../model-config/model-config.js";
import { eventsDocumentation } from "../openapi/events-documentation.js";
import { rawSearch } from "../request/raw-path.js";
import { hasRowRule } from "../resource/config/has-row-rule.js";
import { guard as guardFilter } from "../resource/filter/guard.js";
import { type EventsQuery, readEventsQuery } from "../resource/query/read-events-query.js";
import type { Resource } from "../resource/resource.js";
import type { ModelRoutes } from "../steps/route-source.js";

/** What the event routes of all models share. */
export interface EventRoutes {
  readonly feed: ChangeFeed;
  readonly renew: Access["renew"];
  readonly write: WriteEvents;
  /** Opens a stream of a client, and returns the function that closes it. @throws {HttpError} 429, 503 */
  readonly open: (client: string) => () => void;
  /** Limits the concurrent checks of access. */
  readonly inTurn: InTurn;
}

type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

/** The interval in which an idle stream sends a comment and checks the access of its caller, in milliseconds. */
const heartbeatMs = 15_000;
/** The maximum duration of a stream, in milliseconds: then the client connects again, with all checks of a request. */
const maxDurationMs = 3_600_000;
/** How long clients wait before they connect again, in milliseconds; random, so that not all come at the same time. */
const retryMs = { min: 1_000, random: 2_000 };

/**
 * The concurrent checks of access. Their reads of users by key are few statements if they run in the same tick, and the
 * filters of streams that pass together are compared together.
 */
const concurrentChecks = 64;

/** Creates what the event routes share. */
export function makeEventRoutes(
  feed: ChangeFeed,
  {
    renew,
    limits,
    poolSize,
  }: { readonly renew: Access["renew"]; readonly limits: StreamLimits; readonly poolSize: number },
): EventRoutes {
  return {
    feed,
    renew,
    write: makeWriteEvents(feed, makeInTurn(Math.max(1, Math.floor(poolSize / 2)))),
    open: limitStreams(limits),
    inTurn: makeInTurn(concurrentChecks),
  };
}

function makeInTurn(running: number): InTurn {
  const waiting = Number.POSITIVE_INFINITY;
  const queue = makeFairQueue({ running, waiting, waitingPerClient: waiting, reject: () => new Error("unlimited") });
  return (work) => queue.run("", work);
}

/**
 * Declares `GET /<models>/events`: server-sent events with the changes of the rows that the caller's list would contain. It has the
 * access rules of the list, which it applies to the recorded states of each change at the time of the event.
 */
export function declareEvents(router: ServiceRouter, routes: ModelRoutes, events: EventRoutes): void {
  const { resource, config, source } = routes;
  const { model, path } = resource;
  declareRoute(router, {
    method: "get",
    config: {
      path: `/${path}/events`,
      queryParser: false,
      compression: false,
      ...(source.access === undefined
        ? {}
        : { authentication: operationAccess("findMany", model.resource, config.auth) }),
    },
    handlers: [source.accessStep, run(routes, events)],
    origin: {
      place: `the generated route events of the model ${model.name}`,
      resource: model.resource,
      operation: "events",
      model: model.name,
      mediaTypes: ["text/event-stream"],
      ...(hasRowRule("findMany", config) ? { hasRowRule: true } : {}),
      documentation: () => eventsDocumentation(resource, { filters: source.filters }),
    },
  });
}

function run(routes: ModelRoutes, { feed, renew, write, open, inTurn }: EventRoutes): RequestHandler {
  const { resource, config, source } = routes;
  const access = operationAccess("findMany", resource.model.resource, config.auth);
  return async (request, response) => {
    const viewOf = makeCallersView(routes, feed);
    const first = await viewOf(request);
    const after = readPosition(request, first.query);
    const close = open(clientOf(request));
    response.once("close", close);
    if (response.destroyed) return close();
    const isKnown = after === undefined || (await isComplete(feed, after, config));
    if (request.method === "HEAD") {
      response.setHeader("Content-Type", "text/event-stream; charset=utf-8");
      response.end();
      return close();
    }
    const stream = openEventStream(request, response, feed.closing);
    /** @throws {HttpError} if the caller may not receive events any more */
    const check = (): Promise<CallersView> =>
      inTurn(async () => {
        const now = await renew(request, response);
        if (source.access !== undefined && !(await source.access.allows(now, access))) throw httpErrors.Forbidden();
        return viewOf(now);
      });
    try {
      await sendEvents(stream, first, {
        ...{ feed, resource, check, write },
        after: isKnown ? after : undefined,
        isReset: !isKnown,
      });
    } catch (error) {
      // The client connects again, and receives the error then.
      if (!stream.signal.aborted && !(isHttpError(error) && error.status < 500)) source.log?.(error, request);
    } finally {
      stream.end();
    }
    return undefined;
  };
}

const dayMs = 86_400_000;
/**
 * The age up to which no change is deleted, in milliseconds: the hour of the retention, without ten minutes in which clocks of
 * processes and long transactions can give later changes earlier times.
 */
const undeletedMs = 3_000_000;

/** Whether the log certainly contains all changes of a model after a position. */
async function isComplete(feed: ChangeFeed, position: bigint, { changes }: ModelConfig): Promise<boolean> {
  const { days, perRow } = (typeof changes === "object" && changes.retention) || {};
  const ages = [...(days === undefined ? [] : [days * dayMs]), ...(perRow === undefined ? [] : [undeletedMs])];
  return feed.contains(position, ages.length === 0 ? undefined : new Date(Date.now() - Math.min(...ages)));
}

interface Sending {
  readonly feed: ChangeFeed;
  readonly resource: Resource;
  readonly after: bigint | undefined;
  /** Whether the client may have missed changes. */
  readonly isReset: boolean;
  /** Returns the view of the caller as it is now. */
  readonly check: () => Promise<CallersView>;
  readonly write: WriteEvents;
}

async function sendEvents(stream: EventStream, first: CallersView, sending: Sending): Promise<void> {
  const { feed, resource, after, isReset, check, write } = sending;
  const { model } = resource;
  let known = first;
  /** The position of which the client knows. */
  let sent = after;
  let position = after;
  /** Checks the access again; `undefined` if the rows that the client knows are those of other rights. */
  const current = async (): Promise<CallersView | undefined> => {
    const view = await check();
    const isSame = view.own === known.own && rightsKey(view) === rightsKey(known);
    known = view;
    return isSame ? view : undefined;
  };
  const beat = async (): Promise<void> => {
    if ((await current()) === undefined) await stream.send(eventText("reset", {}, position));
    // An id without data moves the position of the client, and dispatches nothing.
    else stream.sendIfIdle(position === sent ? ":\n\n" : `id: ${position}\n\n`);
    sent = position;
  };
  const heartbeat = setInterval(() => {
    beat().catch(() => stream.end());
  }, heartbeatMs).unref();
  const end = setTimeout(() => stream.end(), maxDurationMs).unref();
  try {
    await stream.send(`retry: ${retryMs.min + Math.floor(Math.random() * retryMs.random)}\n\n`);
    for await (const batch of feed.follow({ model, after, signal: stream.signal })) {
      if (position === undefined) await stream.send(eventText(isReset ? "reset" : "ready", {}, batch.last));
      else if (batch.changes.some((change) => change.model === model.name)) {
        const view = await current();
        await stream.send(view === undefined ? eventText("reset", {}, batch.last) : await write(batch, view));
      }
      position = batch.last;
    }
  } finally {
    clearInterval(heartbeat);
    clearTimeout(end);
  }
}

/** Equal as long as the caller has the same rules; the current time in a rule does not matter. */
const rightsKey = ({ filterKey: key, fields }: CallersView): string =>
  `${fields.join()} ${key.replace(/[+-]?\d{4,6}-\d\d-\d\dT[\d:.]+Z/g, "")}`;

/** Returns the view of the caller of one request; its query is read again only in another view of the models. */
function makeCallersView({ resource, source }: ModelRoutes, { matchStates }: ChangeFeed) {
  const { settings } = source;
  let known: { readonly own: Resource; readonly query: EventsQuery } | undefined;
  let keyed: { readonly own: Resource; readonly filter: Filter | undefined; readonly key: string } | undefined;
  const readQuery = (request: Request, own: Resource): EventsQuery => {
    const isExpressible = (filter: Filter): boolean => matchStates.supports(own.model, toWhere(filter, own.model));
    const context = { ...settings, resources: accessOf(request).view.resources, limits: settings.query };
    return readEventsQuery(rawSearch(request), own, context, isExpressible);
  };
  return async (request: Request): Promise<CallersView & { readonly query: EventsQuery }> => {
    const own = callersResource(request, resource);
    // Rows without a key can only be listed.
    if (own.model.key === undefined) throw httpErrors.Forbidden();
    if (known?.own !== own) known = { own, query: readQuery(request, own) };
    const { query } = known;
    const guard = guardOf(request);
    const requested =
      query.filter === undefined || guard === undefined
        ? query.filter
        : await guardFilter(query.filter, guard.readable);
    const rules = await reachableRows(request, own, "findMany");
    const filters = [rules, requested].filter((one) => one !== undefined);
    const filter = filters.length < 2 ? filters[0] : allOf(filters);
    if (keyed === undefined || keyed.own !== own || keyed.filter !== filter)
      keyed = { own, filter, key: filterKey(filter, own) };
    return { own, query, filter, fields: query.fields, filterKey: keyed.key };
  };
}

/** The position after which a client continues; the header is newer than the parameter of a URL. */
function readPosition({ headers }: Request, { lastEventId }: EventsQuery): bigint | undefined {
  const header = headers["last-event-id"];
  const text = typeof header === "string" && header !== "" ? header : lastEventId;
  if (text === undefined || text === "") return undefined;
  if (/^\d{1,18}$/.test(text)) return BigInt(text);
  const message = "The last event id must be the id of an event.";
  const place =
    text === header
      ? ({ in: "headers", path: "/last-event-id" } as const)
      : ({ in: "query", path: "/lastEventId" } as const);
  throw httpErrors.ValidationError(undefined, { errors: [{ ...place, code: "InvalidValue", message }] });
}

function clientOf(request: Request): string {
  const caller = callerOf(request);
  return caller === undefined ? clientAddress(request) : identityOf(caller);
}
