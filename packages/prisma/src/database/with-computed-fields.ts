import { isPlainObject } from "@servicekit/core/internal";
import type { ComputedField, Model, Models } from "../models/model.js";
import type { Clause, Row } from "../queries/query-args.js";
import type { Delegate } from "./delegate.js";

/** Returns the plan of a `select` of a model; `undefined` for one without computed fields. */
export type PlanSelect = (model: Model, select: Clause | undefined) => Plan | undefined;

/**
 * Creates the plans of a database, which its transactions share: the same plan for the same selection, so that its statement
 * is prepared once.
 *
 * @returns `undefined` if no model has computed fields
 */
export function planSelects(models: Models): PlanSelect | undefined {
  if (![...models.values()].some(({ fields }) => fields.some(({ kind }) => kind === "computed"))) return undefined;
  const plans = new Map([...models.keys()].map((name) => [name, new WeakMap<Clause, Planned>()]));
  return (model, select) => {
    if (select === undefined) return undefined;
    const ofModel = plans.get(model.name);
    const known = ofModel?.get(select);
    if (known !== undefined) return known.plan;
    const plan = planOf(select, model, models);
    if (Object.isFrozen(select)) ofModel?.set(select, { plan });
    return plan;
  };
}

interface Planned {
  readonly plan: Plan | undefined;
}

/**
 * The rows of a model with the computed fields that a `select` names (contract C102), in included rows too: their
 * needed columns are read and, unless they are selected themselves, left out of the rows. A `select` without computed
 * fields is passed on unchanged.
 */
export function withComputedFields(stored: Delegate, model: Model, planSelect: PlanSelect): Delegate {
  /** Runs a query with the columns of the computed fields of its `select`, and completes its rows. */
  const read = async <Args extends { readonly select?: Clause }, Found extends Row | readonly Row[] | null>(
    args: Args,
    run: (args: Args) => Promise<Found>,
  ): Promise<Found> => {
    const plan = planSelect(model, args.select);
    return plan === undefined ? run(args) : (complete(await run({ ...args, select: plan.stored }), plan) as Found);
  };
  return Object.freeze<Delegate>({
    ...stored,
    execute: async (query, seen) => {
      const { select } = query.args as { readonly select?: Clause };
      const plan = planSelect(model, select);
      if (plan === undefined) return stored.execute(query, seen);
      const result = await stored.execute({ ...query, args: { ...query.args, select: plan.stored } } as typeof query);
      return "rows" in result ? { ...result, rows: result.rows.map((row) => completeRow(row, plan)) } : result;
    },
    findMany: (args = {}) => read(args, stored.findMany),
    findFirst: (args = {}) => read(args, stored.findFirst),
    findUnique: (args) => read(args, stored.findUnique),
    create: (args) => read(args, stored.create),
    createMany: (args) => read(args, stored.createMany),
    update: (args) => read(args, stored.update),
    updateMany: (args) => read(args, stored.updateMany),
    updateEach: (args) => read(args, stored.updateEach),
    delete: (args) => read(args, stored.delete),
  });
}

/** How a `select` with computed fields is read. */
interface Plan {
  readonly model: Model;
  readonly select: Clause;
  /** The same for the database. */
  readonly stored: Clause;
  /** The columns that only computed fields need. */
  readonly added: ReadonlySet<string>;
  /** The relations whose rows have computed fields. */
  readonly related: ReadonlyMap<string, Plan>;
}

/** @returns `undefined` without a computed field */
function planOf(select: Clause, model: Model, models: Models): Plan | undefined {
  const stored: Record<string, unknown> = {};
  const needs: string[] = [];
  const related = new Map<string, Plan>();
  let isChanged = false;
  for (const [name, value] of Object.entries(select)) {
    const field = model.fieldsByName.get(name);
    if (field?.kind === "computed") {
      isChanged = true;
      if (value === true) needs.push(...field.needs);
      continue;
    }
    const target = field?.kind === "relation" ? models.get(field.type) : undefined;
    const inner =
      target !== undefined && isPlainObject(value) && isPlainObject(value.select)
        ? planOf(value.select, target, models)
        : undefined;
    if (inner !== undefined) related.set(name, inner);
    stored[name] = inner === undefined ? value : { ...(value as Clause), select: inner.stored };
  }
  if (!isChanged && related.size === 0) return undefined;
  const added = new Set(needs.filter((name) => stored[name] !== true));
  // The ORM does not select an empty set of fields.
  const isEmpty = added.size === 0 && Object.values(stored).every((value) => value === false);
  for (const { name } of isEmpty ? (model.uniqueKeys[0]?.fields ?? []) : []) added.add(name);
  for (const name of added) stored[name] = true;
  return { model, select, stored: Object.freeze(stored), added, related };
}

function complete(found: unknown, plan: Plan): unknown {
  if (Array.isArray(found)) return found.map((row) => completeRow(row as Row, plan));
  return typeof found === "object" && found !== null ? completeRow(found as Row, plan) : found;
}

/** The row with the members of the `select` in its order. */
function completeRow(row: Row, { model, select, added, related }: Plan): Row {
  const shown: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(select)) {
    const field = model.fieldsByName.get(name);
    if (field?.kind === "computed") {
      if (value === true) shown[name] = computedValue(field, row, model);
    } else if (value !== false && Object.hasOwn(row, name)) {
      const plan = related.get(name);
      shown[name] = plan === undefined ? row[name] : complete(row[name], plan);
    }
  }
  for (const [name, value] of Object.entries(row))
    if (!Object.hasOwn(shown, name) && !added.has(name)) shown[name] = value;
  return shown;
}

/** @throws {TypeError} if the function of the field throws, with its error as the cause, or returns a promise */
function computedValue({ name, needs, compute }: ComputedField, row: Row, model: Model): unknown {
  const failed = (why: string, options?: ErrorOptions): TypeError =>
    new TypeError(`The computed field ${name} of ${model.name} ${why}`, options);
  let value: unknown;
  try {
    value = compute(Object.fromEntries(needs.map((need) => [need, row[need]])));
  } catch (error) {
    throw failed(`failed: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
  if (value instanceof Promise) {
    // Its rejection has no other handler.
    value.catch(() => undefined);
    throw failed("returned a promise. Computed fields are synchronous.");
  }
  return value;
}
