import type { IncomingMessage } from "node:http";
import { httpErrors, isHttpError } from "@servicekit/core";
import type { ServiceRouter } from "@servicekit/router";
import { declareRoute } from "@servicekit/router/internal";
import type { Request, RequestHandler } from "express";
import { operationAccess } from "../access/operation-access.js";
import type { Access } from "../access/request-access.js";
import { type CallersView, makeWriteEvents, type WriteEvents } from "../events/callers-events.js";
import { makeCallersView } from "../events/callers-view.js";
import type { ChangeFeed } from "../events/change-feed.js";
import { type EventIds, type IssuedPosition, makeEventIds } from "../events/event-ids.js";
import { openEventStream } from "../events/event-stream.js";
import { makeMatchOne, type RunFairly, runFairly } from "../events/match-together.js";
import { sendEvents } from "../events/send-events.js";
import { limitStreams, type StreamLimits } from "../events/stream-limits.js";
import { makeStreamDigests } from "../events/stream-rights.js";
import { limitUnread, type UnreadLimit } from "../events/unread-limit.js";
import { eventsDocumentation } from "../openapi/events-documentation.js";
import { hasRowRule } from "../resource/config/has-row-rule.js";
import type { EventsQuery } from "../resource/query/read-events-query.js";
import type { ModelRoutes } from "../steps/route-source.js";

/** What the event routes of all models share. */
export interface EventRoutes {
  readonly feed: ChangeFeed;
  readonly renew: Access["renew"];
  readonly write: WriteEvents;
  /** Opens a stream of a client, and returns the function that closes it. @throws {HttpError} 429, 503 */
  readonly open: (client: string) => () => void;
  /** Limits the concurrent checks of access. */
  readonly checkFairly: RunFairly;
  readonly unread: UnreadLimit;
  /** The ids of events, which are created once the secrets are read. */
  readonly ids: { read(): Promise<EventIds>; current(): EventIds | undefined };
}

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
  let ids: EventIds | undefined;
  return {
    feed,
    renew,
    write: makeWriteEvents(makeMatchOne(feed.matchStates, Math.floor(poolSize / 2))),
    open: limitStreams(limits),
    checkFairly: runFairly(concurrentChecks),
    unread: limitUnread(),
    ids: {
      read: async () => (ids ??= makeEventIds(await feed.secrets())),
      current: () => ids,
    },
  };
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
      reconnects: (request) => events.ids.current()?.isIssued(lastEventIdOf(request)) === true,
      documentation: () => eventsDocumentation(resource, { filters: source.filters }),
    },
  });
}

function run(routes: ModelRoutes, { feed, renew, write, open, checkFairly, unread, ids }: EventRoutes): RequestHandler {
  const { resource, config, source } = routes;
  const access = operationAccess("findMany", resource.model.resource, config.auth);
  return async (request, response) => {
    const viewOf = makeCallersView(routes, feed);
    const first = await viewOf(request);
    const text = readLastEventId(request, first.query);
    const close = open(first.client);
    response.once("close", close);
    if (response.destroyed) return close();
    if (request.method === "HEAD") {
      response.setHeader("Content-Type", "text/event-stream; charset=utf-8");
      response.end();
      return close();
    }
    const eventIds = await ids.read();
    const after = text === undefined ? undefined : positionIn(eventIds, text, first);
    const stream = openEventStream(request, response, feed.closing, unread);
    const check = (): Promise<CallersView> =>
      checkFairly(first.client, async () => {
        const now = await renew(request, response);
        if (source.access !== undefined && !(await source.access.allows(now, access))) throw httpErrors.Forbidden();
        return viewOf(now);
      });
    try {
      const subscription = feed.follow({ model: resource.model, signal: stream.signal });
      const log = (error: unknown): void => source.log?.(error, request);
      const isReset = text !== undefined && after === undefined;
      await sendEvents(stream, first, { resource, subscription, ids: eventIds, check, write, log, after, isReset });
    } catch (error) {
      // The client connects again, and receives the error then.
      if (!stream.signal.aborted && !(isHttpError(error) && error.status < 500)) source.log?.(error, request);
    } finally {
      stream.end();
    }
    return undefined;
  };
}

/** The id in a request whose query was not read. */
const lastEventIdOf = ({ headers, url = "" }: IncomingMessage): string =>
  String(headers["last-event-id"] || new URLSearchParams(url.slice(url.indexOf("?") + 1)).get("lastEventId"));

/** The position after which the client of a stream continues; `undefined` if the id is none of this stream. */
function positionIn(ids: EventIds, text: string, view: CallersView): IssuedPosition | undefined {
  const issued = ids.read(text);
  return issued?.stream.equals(makeStreamDigests()(view).stream) === true ? issued : undefined;
}

/** The id of the last event that the client has received; the header is newer than the parameter of a URL. */
function readLastEventId({ headers }: Request, { lastEventId }: EventsQuery): string | undefined {
  const header = headers["last-event-id"];
  const text = typeof header === "string" && header !== "" ? header : lastEventId;
  if (text === undefined || text === "") return undefined;
  if (isEventId(text)) return text;
  const message = "The last event id must be the id of an event.";
  const place =
    text === header
      ? ({ in: "headers", path: "/last-event-id" } as const)
      : ({ in: "query", path: "/lastEventId" } as const);
  throw httpErrors.ValidationError(undefined, { errors: [{ ...place, code: "InvalidValue", message }] });
}

/** Whether a text has the characters of ids. Those of earlier versions and of other streams are positions that are unknown. */
const isEventId = (text: string): boolean => /^[\w-]{1,500}$/.test(text);
