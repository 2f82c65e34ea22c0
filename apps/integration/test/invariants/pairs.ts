import type { Model, Models } from "@servicekit/prisma";
import type { DrawnRequest, Setup, Values } from "./cases.js";
import type { Invariant, Violation } from "./check-cases.js";
import { drawSetup } from "./draw-setup.js";
import { drawnModels } from "./fixtures.js";
import { makeMaterial } from "./material.js";
import { differenceOf, normalizeText } from "./normalize.js";
import { drawPair, modelOf, type Pair } from "./pair-writes.js";
import { withRestore } from "./restore-rows.js";
import { locks, whileLocked } from "./row-locks.js";
import type { Reply } from "./send.js";
import { type RunningCase, startCase } from "./start-case.js";

interface Case {
  readonly setup: Setup;
  readonly pairs: readonly Pair[];
}

/** What requests that began with the same rows have returned and left. */
interface Outcome {
  readonly statuses: readonly (number | undefined)[];
  readonly state: string;
}

/**
 * Two writes that are sent together leave the rows and the recorded changes that they leave one after the other, in one
 * of the two orders, with the statuses of this order.
 *
 * Allowed differences: a request that is 409 `WriteConflict` or 503 has changed nothing, so that the state is that of the
 * other request alone; changes of different rows are recorded in any order; a response is made after the commit, and is 204
 * if the other request has made the row unreadable by then.
 *
 * @param count the drawn pairs of each case
 * @param maxCompared of these that are sent together: most others have a request that is rejected in any order
 */
export const pairs = (serverUrl: string, count: number, maxCompared = count): Invariant<Case> => ({
  name: "pairs",
  lists: ["pairs"],
  draw: (draw, provider, models) => {
    const drawnSetup = drawSetup(draw, provider, models);
    // Routes that do not exist write nothing.
    const setup = { ...drawnSetup, features: drawnSetup.features.filter(({ key }) => key !== "operations") };
    const material = makeMaterial(draw, setup, models);
    return { setup, pairs: Array.from({ length: count }, () => drawPair(material)) };
  },
  check: async ({ setup, pairs: drawn }, counter) => {
    const running = await startCase(setup, serverUrl);
    try {
      return await withRestore(setup.provider, running.databaseUrl, running.models, async (restore) => {
        let compared = 0;
        for (const pair of drawn) {
          const result = await checkPair(pair, setup, running, restore, counter);
          if (result === "rejected") continue;
          if (result !== "equal") return [result];
          compared++;
          if (compared >= maxCompared) break;
        }
        return [];
      });
    } finally {
      await running.close();
    }
  },
});

/** Above every number of a drawn row. */
const firstGenerated = 7_000_000;

async function checkPair(
  { touch, requests }: Pair,
  setup: Setup,
  running: RunningCase,
  restore: () => Promise<void>,
  count: (name: string) => void,
): Promise<Violation | "equal" | "rejected"> {
  const since = Date.now();
  const begin = async (): Promise<void> => {
    await restore();
    await running.setCounters(firstGenerated);
  };
  const state = (): Promise<string> => stateOf(running, since);
  const [one, other] = requests;
  if (!(await canBothWrite())) {
    count("rejected");
    return "rejected";
  }
  count(`pair ${touch}`);
  await begin();
  const initial = await state();
  const forward = await inOrder(one, other);
  const backward = await inOrder(other, one);
  const orders: readonly Outcome[] = [forward.both, reversed(backward.both)];
  const alone = [forward.alone, backward.alone] as const;
  for (const lock of [undefined, undefined, ...locksOf(setup)]) {
    await begin();
    const start = (): readonly Promise<Reply>[] => requests.map((request) => running.send(request));
    const replies =
      lock === undefined
        ? await Promise.all(start())
        : await whileLocked(
            running.databaseUrl,
            lock.statement(modelsOf(requests, running.models), drawnModels(running.models)),
            start,
          );
    count("together");
    const outcome: Outcome = { statuses: replies.map(resultOf), state: await state() };
    const violation = compare(outcome, orders, alone, initial);
    if (violation !== undefined) {
      const lines = requests.map(
        (request, index) =>
          `${request.caller} ${request.method} ${request.target} ${JSON.stringify(request.body)} is ${replies[index]?.status} ${replies[index]?.text}`,
      );
      const place = `with ${lock === undefined ? "no lock" : `a lock of ${lock.key}`}`;
      return { kind: violation.kind, detail: [place, ...lines, violation.detail].join("\n") };
    }
    if (outcome.statuses.includes(undefined)) count("documented conflict");
  }
  return "equal";

  /** Whether each request writes in one of the orders: most drawn requests are rejected, and need no comparison. */
  async function canBothWrite(): Promise<boolean> {
    const isWritten = [false, false];
    for (const order of [requests, [...requests].reverse()]) {
      await begin();
      for (const request of order) {
        const status = resultOf(await running.send(request)) ?? 503;
        if (status < 300) isWritten[request === one ? 0 : 1] = true;
      }
    }
    return isWritten[0] === true && isWritten[1] === true;
  }

  async function inOrder(first: DrawnRequest, second: DrawnRequest): Promise<{ alone: Outcome; both: Outcome }> {
    await begin();
    const before = resultOf(await running.send(first));
    const between = await state();
    const after = resultOf(await running.send(second));
    return { alone: { statuses: [before], state: between }, both: { statuses: [before, after], state: await state() } };
  }
}

const reversed = ({ statuses, state }: Outcome): Outcome => ({ statuses: [...statuses].reverse(), state });

/** Locks are held on the provider with row locks that a second session can observe. */
const locksOf = ({ provider }: Setup): readonly (typeof locks)[number][] => (provider === "postgresql" ? locks : []);

const modelsOf = (requests: readonly DrawnRequest[], models: Models): readonly Model[] => {
  const all = drawnModels(models);
  const named = requests.map((request) => modelOf(request, all)).filter((model) => model !== undefined);
  return named.length === 0 ? all : [...new Set(named)];
};

/** The status of a response, also of one in a message of a tool; `undefined` for a documented conflict. */
function resultOf({ status, text, body }: Reply): number | undefined {
  const inner = body?.result?.isError === true ? Number(text.match(/\\"status\\":\s*(\d+)/)?.[1] ?? 400) : status;
  return inner === 503 || (inner === 409 && text.includes("WriteConflict")) ? undefined : inner;
}

function compare(
  { statuses, state }: Outcome,
  orders: readonly Outcome[],
  alone: readonly [Outcome, Outcome],
  initial: string,
): Violation | undefined {
  const [one, other] = alone;
  const candidates: readonly Outcome[] = [
    ...orders,
    { statuses: [one.statuses[0], undefined], state: one.state },
    { statuses: [undefined, other.statuses[0]], state: other.state },
    { statuses: [undefined, undefined], state: initial },
  ];
  const isLike = (candidate: Outcome): boolean =>
    statuses.every((status, index) => {
      const expected = candidate.statuses[index];
      return status === expected || (status === 204 && expected === 200);
    });
  if (candidates.some((candidate) => isLike(candidate) && candidate.state === state)) return undefined;
  const print = (outcome: Outcome): string => outcome.statuses.map((status) => status ?? "conflict").join(" and ");
  const expected = orders.map(print).join(", or ");
  if (candidates.some((candidate) => candidate.state === state)) {
    return { kind: "status", detail: `together ${print({ statuses, state })}, one after the other ${expected}` };
  }
  const near = candidates.find(isLike) ?? orders[0];
  const detail = `together ${print({ statuses, state })}, one after the other ${expected}\n${differenceOf(state, near?.state ?? "")}`;
  return { kind: "state", detail };
}

/** All rows, and the recorded changes of each row in their order. */
async function stateOf(running: RunningCase, since: number): Promise<string> {
  const tables = await running.tables();
  const changes = await running.changes();
  const nameOf = generatedNames(tables, changes);
  const rows = Object.entries(tables).flatMap(([name, list]) => list.map((row) => `${name} ${JSON.stringify(row)}`));
  const ofRows = new Map<string, string[]>();
  for (const { id: _, time: __, transaction: ___, requestId: ____, traceId: _____, ...change } of changes) {
    const row = nameOf(`${change.model} ${change.key}`);
    ofRows.set(row, [...(ofRows.get(row) ?? []), JSON.stringify(change)]);
  }
  const log = [...ofRows.entries()].map(([row, list]) => `log of ${row}: ${list.join(" ")}`);
  return [...rows, ...log]
    .map((line) => normalizeText(nameOf(line), since))
    .sort()
    .join("\n");
}

/** Replaces generated ids by the unique name of their row: the order of requests decides which id each gets. */
function generatedNames(
  tables: Readonly<Record<string, readonly Values[]>>,
  changes: readonly Values[],
): (text: string) => string {
  const states = changes.flatMap(({ after }) => (after === null ? [] : [after as Values]));
  const names = new Map<string, string>();
  for (const { id, name } of [...states, ...(tables.Area ?? [])]) names.set(String(id), String(name));
  return (text) => text.replaceAll(/\b70000\d\d\b/g, (id) => `<${names.get(id) ?? "generated"}>`);
}
