import { resourcePath } from "@servicekit/model-router/internal";
import type { Model } from "@servicekit/prisma";
import { foreignChanges } from "./evaluate-tenants.js";
import type { Change } from "./record-changes.js";
import { describeChanges, replayDirectly } from "./replay-directly.js";
import type { Reply, Workshop } from "./workshop.js";
import type { CallerName } from "./workshop-rows.js";
import type { WriteCase } from "./write-cases.js";

/** A request that did, or revealed, more than its caller may. */
export interface Violation {
  readonly invariant: string;
  readonly kind: string;
  readonly caller: CallerName;
  readonly request: string;
  readonly detail: string;
}

/** The result of many cases. */
export interface ValidationResult {
  readonly cases: number;
  readonly accepted: number;
  readonly violations: readonly Violation[];
}

/** Sends each case to the same rows, and compares its effects with what the caller may do and read directly. */
export async function evaluateWrites(workshop: Workshop, cases: Iterable<WriteCase>): Promise<ValidationResult> {
  const violations: Violation[] = [];
  const evaluate = makeEvaluator(workshop);
  let count = 0;
  let accepted = 0;
  for (const one of cases) {
    count++;
    const { caller, kind, method, target, body } = one;
    const response = await workshop.as(caller, method, target, body);
    const changes = await workshop.changes();
    if (response.status < 300) accepted++;
    const request = `${caller} ${method} ${target} ${JSON.stringify(body)}`;
    for await (const [invariant, detail] of evaluate(one, response, changes)) {
      violations.push({ invariant, kind, caller, request, detail });
    }
  }
  return { cases: count, accepted, violations };
}

type Finding = readonly [invariant: string, detail: string];

function makeEvaluator(workshop: Workshop) {
  const replayed = new Map<string, string | undefined>();
  const readable = new Map<string, boolean>();

  const isReadable = async (caller: CallerName, target: string): Promise<boolean> => {
    const key = `${caller} ${target}`;
    const known = readable.get(key) ?? (await workshop.as(caller, "GET", target)).status === 200;
    readable.set(key, known);
    return known;
  };

  return async function* evaluate(
    one: WriteCase,
    response: Reply,
    changes: readonly Change[],
  ): AsyncGenerator<Finding> {
    const { caller, method, target, kind } = one;
    if (response.status >= 500) yield ["no request causes a server error", response.text];
    if (response.status >= 300 && changes.length > 0) yield ["a rejected request changes nothing", response.text];
    for (const detail of foreignChanges(workshop, caller, changes))
      yield ["only rows of the caller's tenant are written", detail];
    if (response.status < 300) {
      for await (const finding of checkResponse(one, response)) yield finding;
    }
    await workshop.undo();
    if (response.status < 300 && kind.includes(" by filter")) {
      for (const { table, before } of changes) {
        const model = workshop.models.get(table);
        if (model === undefined || before === null || !kind.endsWith(` ${table}`)) continue;
        if (!(await isReadable(caller, rowTarget(model, before)))) {
          yield ["a bulk change by a filter includes only readable rows", rowTarget(model, before)];
        }
      }
    }
    // A direct request for one row is the reference for all others.
    const isDirect = !kind.includes(" through ") && !kind.includes("many") && !kind.includes("filter");
    if (response.status < 300 && changes.length > 0 && !isDirect) {
      const key = `${caller} ${describeChanges(changes, workshop).join()}`;
      if (!replayed.has(key)) replayed.set(key, await replayDirectly(workshop, caller, changes));
      const rejection = replayed.get(key);
      if (rejection !== undefined) yield ["what is changed may be changed directly", rejection];
    }
    if (one.absent === undefined) return;
    // A caller with direct write access to a row learns by it whether the row exists.
    if (!kind.includes(" through ") && response.status !== 403 && response.status !== 404) return;
    if (await isReadable(caller, one.row ?? target)) return;
    const twin = await workshop.as(caller, method, one.absent.target, one.absent.body);
    await workshop.undo();
    if (plain(twin) !== plain(response)) {
      yield ["a row that may not be read is as absent as one that does not exist", `${response.text} and ${twin.text}`];
    }
  };

  /** What the response of a write contains must be in a read of the same row. */
  async function* checkResponse({ caller, model: name }: WriteCase, response: Reply): AsyncGenerator<Finding> {
    const invariant = "the response of a write shows only readable fields";
    const model = workshop.models.get(name) as Model;
    for (const row of [response.body?.data ?? []].flat()) {
      const key = (model.key?.fields ?? []).map((field) => row[field.name]);
      const target = key.includes(undefined)
        ? String(response.headers.location).replace(/^\/api/, "")
        : rowTarget(model, row);
      const read = await workshop.as(caller, "GET", target);
      if (read.status !== 200) {
        if (Object.keys(row).length > 0) yield [invariant, `${JSON.stringify(row)}, but the row is ${read.status}`];
        continue;
      }
      for (const [field, value] of Object.entries(row)) {
        if (JSON.stringify(read.body.data[field]) !== JSON.stringify(value)) yield [invariant, `${field} of ${target}`];
      }
    }
  }
}

const rowTarget = (model: Model, row: Readonly<Record<string, unknown>>): string =>
  `/${resourcePath(model)}/${(model.key?.fields ?? []).map(({ name }) => row[name]).join()}`;

/** The visible part of a response, except for the id of the request. */
const plain = ({ status, text, headers }: Reply): string =>
  `${status} ${headers.etag} ${text.replace(/"(instance|requestId)":"[^"]*"/g, "")}`;

/** Violations by invariant and kind of case, the most frequent first. */
export function classesOf(violations: readonly Violation[]): readonly string[] {
  const groups = new Map<string, Violation[]>();
  for (const violation of violations) {
    const name = `${violation.invariant} (${violation.kind.replace(/,/g, "+")})`;
    groups.set(name, [...(groups.get(name) ?? []), violation]);
  }
  return [...groups]
    .sort(([, one], [, other]) => other.length - one.length)
    .map(
      ([name, [first, ...rest]]) => `${1 + rest.length} × ${name}: ${first?.request} → ${first?.detail.slice(0, 400)}`,
    );
}
