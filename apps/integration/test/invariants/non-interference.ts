import type { Model, Models } from "@servicekit/prisma";
import type { CallerName } from "./callers.js";
import type { DrawnRequest, DrawnRow, Setup } from "./cases.js";
import type { Invariant, Violation } from "./check-cases.js";
import { drawSetup } from "./draw-setup.js";
import { featureValue } from "./features.js";
import { drawFilter } from "./filters.js";
import { drawnModels } from "./fixtures.js";
import { drawCaller, makeMaterial, pathOf, query, rowPath } from "./material.js";
import { differenceOf, normalize, normalizeText } from "./normalize.js";
import { drawRead } from "./reads.js";
import { kindOf } from "./responses.js";
import { isManyToMany, relationFields } from "./rows.js";
import { drawSecret } from "./secrets.js";
import type { Reply } from "./send.js";
import { type RowWrite, type RunningCase, startCase } from "./start-case.js";
import { openMarks } from "./stream-marks.js";
import { type DrawnStream, makeStreamPair } from "./stream-pairs.js";
import { drawWrite } from "./writes.js";

/** A request of the caller, or a write that both databases get. */
type Step = DrawnRequest | { readonly write: RowWrite };

interface Case {
  readonly setup: Setup;
  readonly caller: readonly CallerName[];
  /** Groups of writes in one of the databases; a group that the caller's lists show is made in both. */
  readonly secrets: readonly (readonly RowWrite[])[];
  readonly streams: readonly DrawnStream[];
  readonly steps: readonly Step[];
}

/**
 * Two databases that differ only in what a caller cannot list now give this caller the same responses.
 *
 * Documented differences: a unique value or a reference of an invisible row is a 409, and the history of a row
 * contains the states that the caller could list.
 */
export const nonInterference = (serverUrl: string, steps: number): Invariant<Case> => ({
  name: "non-interference",
  lists: ["steps", "secrets"],
  draw: (draw, provider, models) => {
    const setup = drawSetup(draw, provider, models);
    const material = makeMaterial(draw, setup, models);
    const caller = drawCaller(draw);
    const secrets = listOf(8, () => drawSecret(material));
    // The requests name the rows that only one of the databases has, too.
    const rows = [...setup.rows, ...secrets.flat().flatMap(rowOf)];
    const requested = makeMaterial(draw, { ...setup, rows }, models);
    const drawStep = (): Step => {
      if (draw.chance(0.1)) return { write: drawSecret(material)[0] as RowWrite };
      return { caller, ...(draw.chance(0.75) ? drawRead(requested) : drawWrite(requested)) };
    };
    return { setup, caller: [caller], streams: [], secrets, steps: listOf(steps, drawStep) };
  },
  check: (one, count) => checkPair(one, serverUrl, count),
});

/** The same with the event streams of the caller: live ones, resumed ones, and those from positions that it has never received. */
export const streamInterference = (serverUrl: string): Invariant<Case> => ({
  name: "streams",
  lists: ["streams", "steps", "secrets"],
  draw: (draw, provider, models) => {
    const setup = drawSetup(draw, provider, models, new Set(["changes"]));
    const material = makeMaterial(draw, setup, models);
    const caller = drawCaller(draw);
    const modelsWithEvents = drawnModels(models).filter((model) => hasEvents(setup, model));
    const drawStream = (): DrawnStream => {
      const model = draw.pick(modelsWithEvents);
      const filter = draw.chance(0.4) ? [drawFilter(material, model, 1)] : [];
      const position = draw.pick([undefined, "ready", "0", "1", "5"]);
      return { model: model.name, query: query(filter), ...(position === undefined ? {} : { position }) };
    };
    return {
      ...{ setup, caller: [caller], secrets: listOf(8, () => drawSecret(material)) },
      streams: modelsWithEvents.length === 0 ? [] : listOf(6, drawStream),
      steps: listOf(20, (): Step => {
        const [write] = drawSecret(material);
        return write === undefined || draw.chance(0.3) ? { caller, ...drawWrite(material) } : { write };
      }),
    };
  },
  check: (one, count) => checkPair(one, serverUrl, count),
});

const rowOf = ({ action, model, key, values }: RowWrite): readonly DrawnRow[] =>
  action === "create" ? [{ model, values: { ...key, ...values } }] : [];

const listOf = <Item>(count: number, make: () => Item): readonly Item[] => Array.from({ length: count }, make);

async function checkPair(one: Case, serverUrl: string, count: (name: string) => void): Promise<readonly Violation[]> {
  const [first, second] = await Promise.all([startCase(one.setup, serverUrl), startCase(one.setup, serverUrl)]);
  try {
    return await compare(one, first, second, count);
  } finally {
    await Promise.all([first.close(), second.close()]);
  }
}

const hasEvents = (setup: Setup, model: Model): boolean =>
  (featureValue(setup.features, "changes", model.name) as { readonly events: boolean } | undefined)?.events === true;

async function compare(
  { setup, caller: [caller = "anonymous"], secrets, streams, steps }: Case,
  first: RunningCase,
  second: RunningCase,
  count: (name: string) => void,
): Promise<readonly Violation[]> {
  const since = Date.now();
  const changedPaths = await writeSecrets(secrets, caller, first, second);
  // Requests name changes by ids, which are those of the log of all rows.
  await Promise.all([first.setChangeCounter(2000), second.setChangeCounter(2000)]);
  const marks = await openMarks(
    [first, second],
    streams.map(({ model }) => model),
  );
  await marks.pass();
  const views = [await viewOf(first, caller), await viewOf(second, caller)] as const;
  if (changedPaths === undefined || normalizeText(views[0], since) !== normalizeText(views[1], since)) {
    count("discarded");
    marks.close();
    return [];
  }
  await Promise.all([first.setCounters(2000), second.setCounters(2000)]);
  const seesDeleted = await listsDeleted(first, caller, setup);
  const violations: Violation[] = [];
  const pair = makeStreamPair(setup, caller, streams, marks, since);
  const openStreams = await pair.open(first, second);
  for (const step of steps) {
    if ("write" in step) {
      const results = await Promise.all([attempt(first, step.write), attempt(second, step.write)]);
      // A unique value or a reference of a row that one database has.
      if (results[0] !== results[1]) break;
      await openStreams.settle();
      continue;
    }
    if (isHistoryOf(step, changedPaths) || (isRestore(step) && !seesDeleted)) continue;
    const replies = await Promise.all([first.send(step), second.send(step)]);
    count(kindOf(step, replies[0]));
    const [one = "", other = ""] = replies.map((reply) => withoutLogIds(normalize(reply, since), step));
    await openStreams.settle();
    if (one === other) continue;
    if (replies.some(isConflict)) {
      count("documented conflict");
      break;
    }
    if (step.method !== "GET" && !(await canList(first, step))) {
      count("documented existence");
      break;
    }
    violations.push({ kind: step.path, detail: `${step.method} ${step.target}\n${differenceOf(one, other)}` });
    break;
  }
  violations.push(...(await openStreams.compare(count)));
  return violations;
}

/** An error that names what another row has. */
const isConflict = ({ status, text }: Reply): boolean => status === 409 || /\\"status\\":\s*409/.test(text);

/** Whether the caller of a request lists rows of its model. A caller who may write those that it does not list learns which exist. */
async function canList(running: RunningCase, { caller, target, body }: DrawnRequest): Promise<boolean> {
  const ofTool = JSON.stringify(body ?? "").match(/"resource":"([^"]+)"/)?.[1];
  const resource = target === "/mcp" ? ofTool : target.match(/^\/([^/?]+)/)?.[1];
  return (await running.send({ caller, method: "GET", target: `/${resource}?limit=1` })).status === 200;
}

/** The ids of changes are those of the log of all rows. */
const withoutLogIds = (text: string, { path }: DrawnRequest): string =>
  path === "history" ? text.replaceAll(/"id":"\d+","time"/g, '"id":"<change>","time"') : text;

/** Whether a request makes deleted rows visible, in the state that they have. */
const isRestore = ({ target, body }: DrawnRequest): boolean =>
  /^\/[^/]+\/[^/]+\/restore$/.test(target) || (target === "/mcp" && JSON.stringify(body).includes('"name":"restore"'));

/** Whether a caller lists the deleted rows of every model, which a restore of one row may restore too. */
async function listsDeleted(running: RunningCase, caller: CallerName, { features }: Setup): Promise<boolean> {
  const models = drawnModels(running.models).filter(({ name }) => featureValue(features, "softDelete", name));
  const replies = await Promise.all(
    models.map((model) => running.send({ caller, method: "GET", target: `${pathOf(model)}?deleted=only&limit=1` })),
  );
  return replies.every(({ status }) => status === 200);
}

/** Whether a write succeeds. */
const attempt = (running: RunningCase, write: RowWrite): Promise<boolean> =>
  running.write(write).then(
    () => true,
    () => false,
  );

/** Everything that a caller lists now, deleted rows included if it may. */
async function viewOf(running: RunningCase, caller: CallerName): Promise<string> {
  const texts: string[] = [];
  for (const model of drawnModels(running.models)) {
    for (const target of listTargets(model, running.models)) {
      const { status, text, body } = await running.send({ caller, method: "GET", target });
      // A rejected query differs in its request id.
      texts.push(status === 200 ? text : String(status));
      if (status === 200 && body.meta.hasMore === true) throw new Error(`${target} has a second page.`);
    }
  }
  return texts.join("\n");
}

/** The lists that together show all rows and links: of rows, of deleted rows, and of linked rows. */
function listTargets(model: Model, models: Models): readonly string[] {
  const links = relationFields(model, models).filter((field) => isManyToMany(field, models));
  const list = `${pathOf(model)}?limit=100`;
  return [
    list,
    `${list}&deleted=include`,
    ...links.map(({ name }) => `${list}&include=${name}&fields=${model.key?.fields[0]?.name},${name}`),
  ];
}

/**
 * Writes the groups into the second database, and those that the caller's lists show into the first one too.
 *
 * @returns the paths of rows that had visible states in the second one alone; `undefined` if the databases differ visibly
 */
async function writeSecrets(
  secrets: Case["secrets"],
  caller: CallerName,
  first: RunningCase,
  second: RunningCase,
): Promise<ReadonlySet<string> | undefined> {
  const changedPaths = new Set<string>();
  let view = await viewOf(second, caller);
  for (const group of secrets) {
    const results: boolean[] = [];
    let next = view;
    let wasVisible = false;
    for (const write of group) {
      results.push(await attempt(second, write));
      next = await viewOf(second, caller);
      wasVisible ||= next !== view;
    }
    if (next === view) {
      for (const { model, key } of wasVisible ? group : []) {
        changedPaths.add(rowPath(second.models.get(model) as Model, key));
      }
      continue;
    }
    view = next;
    for (const [index, write] of group.entries()) {
      if ((await attempt(first, write)) !== results[index]) return undefined;
    }
  }
  return changedPaths;
}

/** Whether a request reads the history of a row that had other visible states in the second database. */
const isHistoryOf = ({ target }: DrawnRequest, changedPaths: ReadonlySet<string>): boolean =>
  changedPaths.has(target.match(/^(.*)\/history/)?.[1] ?? "");
