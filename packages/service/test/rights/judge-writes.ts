import { resourcePath } from "@servicekit/model-router/internal";
import type { Model } from "@servicekit/prisma";
import type { Change } from "./record-changes.js";
import { describeChanges, replayDirectly } from "./replay-directly.js";
import type { Answer, Workshop } from "./workshop.js";
import type { CallerName } from "./workshop-rows.js";
import type { WriteCase } from "./write-cases.js";

/** A request that did, or told, more than its caller may. */
export interface Violation {
  readonly law: string;
  readonly kind: string;
  readonly caller: CallerName;
  readonly request: string;
  readonly detail: string;
}

/** What came of many cases. */
export interface Verdict {
  readonly cases: number;
  readonly accepted: number;
  readonly violations: readonly Violation[];
}

/** Sends each case to the same rows, and holds what came of it against what the caller may do and read directly. */
export async function judgeWrites(workshop: Workshop, cases: Iterable<WriteCase>): Promise<Verdict> {
  const violations: Violation[] = [];
  const judge = makeJudge(workshop);
  let count = 0;
  let accepted = 0;
  for (const one of cases) {
    count++;
    const { caller, kind, method, target, body } = one;
    const answer = await workshop.as(caller, method, target, body);
    const changes = await workshop.changes();
    if (answer.status < 300) accepted++;
    const request = `${caller} ${method} ${target} ${JSON.stringify(body)}`;
    for await (const [law, detail] of judge(one, answer, changes)) {
      violations.push({ law, kind, caller, request, detail });
    }
  }
  return { cases: count, accepted, violations };
}

type Finding = readonly [law: string, detail: string];

function makeJudge(workshop: Workshop) {
  const replayed = new Map<string, string | undefined>();
  const readable = new Map<string, boolean>();

  const isReadable = async (caller: CallerName, target: string): Promise<boolean> => {
    const key = `${caller} ${target}`;
    const known = readable.get(key) ?? (await workshop.as(caller, "GET", target)).status === 200;
    readable.set(key, known);
    return known;
  };

  return async function* judge(one: WriteCase, answer: Answer, changes: readonly Change[]): AsyncGenerator<Finding> {
    const { caller, method, target, kind } = one;
    if (answer.status >= 500) yield ["a request is never a fault of the service", answer.text];
    if (answer.status >= 300 && changes.length > 0) yield ["what is refused changes nothing", answer.text];
    if (answer.status < 300) {
      for await (const finding of checkAnswer(one, answer)) yield finding;
    }
    await workshop.undo();
    if (answer.status < 300 && kind.includes(" by filter")) {
      for (const { table, before } of changes) {
        const model = workshop.models.get(table);
        if (model === undefined || before === null || !kind.endsWith(` ${table}`)) continue;
        if (!(await isReadable(caller, rowTarget(model, before)))) {
          yield ["a bulk by a filter meets only rows that may be read", rowTarget(model, before)];
        }
      }
    }
    // A direct request for one row is what all others are held against.
    const isDirect = !kind.includes(" through ") && !kind.includes("many") && !kind.includes("filter");
    if (answer.status < 300 && changes.length > 0 && !isDirect) {
      const key = `${caller} ${describeChanges(changes, workshop).join()}`;
      if (!replayed.has(key)) replayed.set(key, await replayDirectly(workshop, caller, changes));
      const refusal = replayed.get(key);
      if (refusal !== undefined) yield ["what is changed may be changed directly", refusal];
    }
    if (one.absent === undefined) return;
    // Whoever has the right to write a row directly learns by that whether it is there.
    if (!kind.includes(" through ") && answer.status !== 403 && answer.status !== 404) return;
    if (await isReadable(caller, one.row ?? target)) return;
    const twin = await workshop.as(caller, method, one.absent.target, one.absent.body);
    await workshop.undo();
    if (plain(twin) !== plain(answer)) {
      yield ["a row that may not be read is as absent as one that is not there", `${answer.text} and ${twin.text}`];
    }
  };

  /** What the answer of a write shows must stand in a read of the same row. */
  async function* checkAnswer({ caller, model: name }: WriteCase, answer: Answer): AsyncGenerator<Finding> {
    const law = "the answer of a write shows what may be read of the row";
    const model = workshop.models.get(name) as Model;
    for (const row of [answer.body?.data ?? []].flat()) {
      const key = (model.key?.fields ?? []).map((field) => row[field.name]);
      const target = key.includes(undefined)
        ? String(answer.headers.location).replace(/^\/api/, "")
        : rowTarget(model, row);
      const read = await workshop.as(caller, "GET", target);
      if (read.status !== 200) {
        if (Object.keys(row).length > 0) yield [law, `${JSON.stringify(row)}, but the row is ${read.status}`];
        continue;
      }
      for (const [field, value] of Object.entries(row)) {
        if (JSON.stringify(read.body.data[field]) !== JSON.stringify(value)) yield [law, `${field} of ${target}`];
      }
    }
  }
}

const rowTarget = (model: Model, row: Readonly<Record<string, unknown>>): string =>
  `/${resourcePath(model)}/${(model.key?.fields ?? []).map(({ name }) => row[name]).join()}`;

/** What a client sees of an answer, but for what names the request. */
const plain = ({ status, text, headers }: Answer): string =>
  `${status} ${headers.etag} ${text.replace(/"(instance|requestId)":"[^"]*"/g, "")}`;

/** Violations by law and kind of case, the most frequent first. */
export function classesOf(violations: readonly Violation[]): readonly string[] {
  const groups = new Map<string, Violation[]>();
  for (const violation of violations) {
    const name = `${violation.law} (${violation.kind.replace(/,/g, "+")})`;
    groups.set(name, [...(groups.get(name) ?? []), violation]);
  }
  return [...groups]
    .sort(([, one], [, other]) => other.length - one.length)
    .map(
      ([name, [first, ...rest]]) => `${1 + rest.length} × ${name}: ${first?.request} → ${first?.detail.slice(0, 400)}`,
    );
}
