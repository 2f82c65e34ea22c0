import { resourcePath } from "@servicekit/model-router/internal";
import type { Model, Models } from "@servicekit/prisma";
import { makeEventIds } from "../../../../packages/model-router/src/events/event-ids.js";
import { type EventReader, readEvents } from "../../../../packages/service/test/event-reader.js";
import type { Draw } from "../../../../scripts/test/random-draw.js";
import { jwtSecret, type Workshop } from "./workshop.js";
import { type CallerName, callers } from "./workshop-rows.js";

type Row = Readonly<Record<string, unknown>>;

/** The stream of one caller for one query of a list. */
export interface Stream {
  readonly caller: CallerName;
  readonly model: Model;
  /** Filters and `fields`, without `?`; may be empty. */
  readonly query: string;
  /** Whether the query filters by related rows. */
  readonly isThroughRelation: boolean;
  /** The rows of the caller's list when the stream was opened. */
  readonly rows: readonly Row[];
  /** The id of the last change before it was opened. */
  readonly start: bigint;
  readonly live: EventReader;
}

/** A request to a stream and the list with the same query. */
type Request = Pick<Stream, "caller" | "model" | "query" | "isThroughRelation">;

/**
 * Opens streams of all callers: for each model that of the whole list, and that of a drawn query.
 *
 * @param violations receives the streams that are open without a list, and the reverse
 */
export async function openStreams(
  workshop: Workshop,
  models: readonly Model[],
  draw: Draw,
  violations: string[],
): Promise<readonly Stream[]> {
  const requests = models.flatMap((model) =>
    callers.flatMap((caller): Request[] => [
      { caller, model, query: "", isThroughRelation: false },
      { caller, model, ...drawQuery(draw, model, workshop.models) },
    ]),
  );
  const opened = await Promise.all(requests.map((request) => openStream(workshop, request, violations)));
  return opened.filter((stream) => stream !== undefined);
}

async function openStream(workshop: Workshop, request: Request, violations: string[]): Promise<Stream | undefined> {
  const { caller, model, query, isThroughRelation } = request;
  const rows = await readList(workshop, request);
  const live = await open(workshop, request);
  const place = `${caller} /${resourcePath(model)}?${query}`;
  if (live.status !== 200) {
    // Recorded states cannot be compared with some filters of related rows.
    if (rows !== undefined && !(isThroughRelation && live.status === 400))
      violations.push(`${place}: the stream is ${live.status}, the list is not`);
    return undefined;
  }
  if (rows === undefined) violations.push(`${place}: the stream is open, the list is not`);
  await live.positionId();
  return { ...request, rows: rows ?? [], start: changeOf(live.lastId()), live };
}

const ids = makeEventIds([jwtSecret]);

/** The change of the id of an event. */
export const changeOf = (id: string): bigint => ids.read(id)?.position.id ?? 0n;

/** The rows of the list of a stream; `undefined` if the caller has none. */
export async function readList(
  { as }: Workshop,
  { caller, model, query }: Request,
  filter = "",
): Promise<readonly Row[] | undefined> {
  const target = `/${resourcePath(model)}?${["limit=100", query, filter].filter(Boolean).join("&")}`;
  const { status, body, text } = await as(caller, "GET", target);
  if (status >= 500) throw new Error(`${caller} ${target}: ${text}`);
  if (status === 200 && body.meta.hasMore === true) throw new Error(`${target} has a second page.`);
  return status === 200 ? body.data : undefined;
}

const open = (workshop: Workshop, { caller, model, query }: Request): Promise<EventReader> =>
  readEvents(workshop.urlOf(`/${resourcePath(model)}/events?${query}`), workshop.headersOf(caller));

/** A filter of an own field or of related rows, some fields, or both. */
function drawQuery(draw: Draw, model: Model, models: Models): Pick<Stream, "query" | "isThroughRelation"> {
  const scalars = model.fields.filter((field) => field.kind === "scalar");
  const relations = model.fields.filter((field) => field.kind === "relation" && models.has(field.type));
  const isThroughRelation = relations.length > 0 && draw.chance(0.25);
  const key = model.key?.fields.map(({ name }) => name) ?? [];
  const condition = (): string => {
    const { name, type } = draw.pick(scalars);
    // Two values of one parameter would match either: states are read by `key=value`.
    const equal = key.includes(name) ? `${name}__lte=1` : `${name}=1`;
    if (type === "Int") return draw.pick([`${name}__gte=${draw.below(5)}`, `${name}__lt=5`, equal]);
    if (type === "Boolean") return `${name}=${draw.chance(0.5)}`;
    return draw.pick([`${name}__icontains=${draw.pick(["a", "new", "o"])}`, `${name}__contains=changed`]);
  };
  const related = (): string => {
    const { name, type } = draw.pick(relations);
    const other = models.get(type)?.key?.fields[0]?.name;
    return `${name}__${other}__gte=${draw.below(3)}`;
  };
  const filter = isThroughRelation ? related() : draw.chance(0.7) ? condition() : "";
  const others = scalars.map(({ name }) => name).filter((name) => !key.includes(name));
  const fields =
    filter !== "" && draw.chance(0.5)
      ? ""
      : draw.pick([`fields=${[...key, draw.pick(others)].join()}`, `fields=-${draw.pick(others)}`]);
  return { query: [filter, fields].filter(Boolean).join("&"), isThroughRelation };
}
