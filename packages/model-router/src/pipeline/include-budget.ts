import { httpErrors } from "@servicekit/core";
import { isPlainObject } from "@servicekit/core/internal";
import type { Database, Model, Models, RelationField } from "@servicekit/prisma";
import { rowsWhere, toWhere } from "@servicekit/prisma/internal";
import type { Request } from "express";
import { accessOf, callersResource } from "../access/request-access.js";
import { modelQuery, modelState, type OrmQuery, setModelQuery } from "../request/request-state.js";
import type { IncludeLimits } from "../resource/config/resource-config.js";
import { allWhere, type Where } from "../resource/filter/where.js";
import type { Resource } from "../resource/resource.js";
import type { Select } from "../resource/shown.js";
import type { Row } from "../resource/values/to-json.js";

/** A relation in a tree of `select`. */
interface Branch {
  readonly path: readonly string[];
  readonly field: RelationField;
  readonly parent: Model;
  readonly model: Model;
  readonly args: Where;
  readonly branches: readonly Branch[];
  /** The condition of related rows of these rows. */
  readonly whereParents: (parents: Where) => Where;
  /** Whether several rows may share one of these. */
  readonly isShared: boolean;
}

/** The cost of a branch. */
interface Weight {
  readonly branch: Branch;
  /** Rows that the ORM would read. */
  readonly read: number;
  /** Maximum number of its rows in the response. */
  readonly shown: number;
}

/**
 * Limits the rows of one response (contract C8, C20). The ORM reads every related row and truncates the lists itself,
 * so the rows are counted before they are read: within the budget they are read directly. A longer relation of the
 * listed rows is read separately for each of them, with a limit.
 *
 * @throws {HttpError} 400 `ValidationError` if there are still too many
 */
export function includeBudget(
  resource: Resource,
  database: Database,
  limits: IncludeLimits,
): (request: Request) => Promise<void> {
  return async (request) => {
    const { select, distinct } = modelQuery(request);
    const { models } = accessOf(request).view;
    const { model } = callersResource(request, resource);
    const branches = isPlainObject(select) ? branchesOf(select, model, models, []) : [];
    if (distinct === undefined && !branches.some(containsList)) return;
    await check(request, branches, { model, database, limits });
  };
}

interface Source {
  readonly model: Model;
  readonly database: Database;
  readonly limits: IncludeLimits;
}

const containsList = ({ field, branches }: Branch): boolean => field.isList || branches.some(containsList);

function branchesOf(select: Select, model: Model, models: Models, path: readonly string[]): readonly Branch[] {
  return Object.entries(select).flatMap(([name, value]): readonly Branch[] => {
    const field = model.fieldsByName.get(name);
    if (field?.kind !== "relation" || value === false) return [];
    const related = models.get(field.type);
    const opposite = related?.fieldsByName.get(field.relation.opposite ?? "");
    if (related === undefined || opposite === undefined) return [];
    const args = isPlainObject(value) ? value : {};
    const here = [...path, name];
    return [
      {
        path: here,
        field,
        parent: model,
        model: related,
        args,
        branches: isPlainObject(args.select) ? branchesOf(args.select, related, models, here) : [],
        whereParents: (parents) => {
          const hangs = { [opposite.name]: { [opposite.isList ? "some" : "is"]: parents } };
          return allWhere([hangs, isPlainObject(args.where) ? args.where : undefined]) ?? hangs;
        },
        isShared: opposite.isList,
      },
    ];
  });
}

async function check(request: Request, branches: readonly Branch[], source: Source): Promise<void> {
  const { model, database, limits } = source;
  const query = modelQuery(request);
  const max = limits.total;
  if (query.distinct !== undefined) {
    const rows = await database.of(model).count({ where: query.where, take: max + 1 });
    if (rows > max) {
      throw rejection("prismaQueryOptions", `distinct reads all rows of the filter, at most ${max}. Narrow the filter`);
    }
  }
  if (!branches.some(containsList)) return;
  const after = modelState(request).list?.after;
  const where = allWhere([query.where, after && toWhere(after, model)]) ?? {};
  const { roots, rows } = await rootsOf({ ...query, where }, source);
  if (rows === 0) return;
  const weights = await weigh(branches, { parents: roots, shown: rows, isShared: false }, source);
  const sumOf = (weight: (one: Weight) => number): number => weights.reduce((sum, one) => sum + weight(one), 0);
  if (sumOf(({ read, shown }) => Math.max(read, shown)) <= max) return;
  // Read separately, a relation returns no more than its limit for each row.
  const alone = weights.flatMap(({ branch, read, shown }) =>
    branch.path.length === 1 && read > shown ? [branch] : [],
  );
  const brought = ({ branch, read, shown }: Weight): number => (alone.includes(branch) ? shown : Math.max(read, shown));
  const sum = sumOf(brought);
  // In cursor mode one more row is read than requested.
  const isOneMore = modelState(request).list?.cursor !== undefined;
  if (sum > max) throw tooMany(weights, brought, Math.floor((rows * max) / sum) - (isOneMore ? 1 : 0), rows, max);
  readAlone(request, alone, source);
}

const takeOf = ({ args }: Branch, limits: IncludeLimits): number =>
  typeof args.take === "number" ? Math.abs(args.take) : limits.rows;

/** The parent rows of branches. */
interface Parents {
  readonly parents: Where;
  /** Their maximum number in the response. */
  readonly shown: number;
  /** Whether the response may contain one of them several times. */
  readonly isShared: boolean;
}

async function weigh(branches: readonly Branch[], above: Parents, source: Source): Promise<readonly Weight[]> {
  const { limits } = source;
  const weights = await Promise.all(
    branches.map(async (branch): Promise<readonly Weight[]> => {
      const isShared = above.isShared || branch.isShared;
      const where = branch.whereParents(above.parents);
      if (!branch.field.isList) {
        const inner = { parents: where, shown: above.shown, isShared };
        return [{ branch, read: 0, shown: above.shown }, ...(await weigh(branch.branches, inner, source))];
      }
      const read = await (branch.isShared
        ? countLinks(branch, above.parents, source)
        : countRows(branch, where, source));
      const shown = Math.min(above.shown * takeOf(branch, limits), above.isShared ? above.shown * read : read);
      const inner = { parents: where, shown, isShared };
      return [{ branch, read, shown }, ...(await weigh(branch.branches, inner, source))];
    }),
  );
  return weights.flat();
}

/** Beyond this multiple of the budget, the exact number does not matter. */
const enough = 10;

const countRows = ({ model }: Branch, where: Where, { database, limits }: Source): Promise<number> =>
  database.of(model).count({ where, take: limits.total * enough });

/** Between two lists a row is read for each link to it. */
async function countLinks(
  { parent, field, args }: Branch,
  parents: Where,
  { database, limits }: Source,
): Promise<number> {
  const counted = isPlainObject(args.where) ? { where: args.where } : true;
  const select = { _count: { select: { [field.name]: counted } } };
  const rows = await database.of(parent).findMany({ where: parents, select, take: limits.total + 1 });
  return rows.reduce((sum, { _count: counts }) => sum + Number((counts as Row)[field.name]), 0);
}

/** The rows of the list, by their key. */
async function rootsOf(query: OrmQuery, { model, database }: Source): Promise<{ roots: Where; rows: number }> {
  const key = model.uniqueKeys[0]?.fields ?? [];
  const { where, select: _, ...page } = query;
  if (page.take === undefined || key.length === 0) return { roots: flatWhere(where, model), rows: page.take ?? 1 };
  const names = Object.fromEntries(key.map(({ name }) => [name, true]));
  const found = await database.of(model).findMany({ ...page, where, select: names });
  return { roots: rowsWhere(Object.keys(names), found), rows: found.length };
}

/** The condition of one row without Prisma's name of a compound key, which only unique lookups support. */
function flatWhere(where: Where, { key }: Model): Where {
  if (key === undefined || key.fields.length === 1 || !Object.hasOwn(where, key.name)) return where;
  const { [key.name]: values, ...rest } = where;
  return { AND: [values, rest] };
}

/** Removes relations from the read; each root row gets its own afterwards. */
function readAlone(request: Request, alone: readonly Branch[], { model }: Source): void {
  const query = modelQuery(request);
  const stored = modelState(request);
  const key = (model.uniqueKeys[0]?.fields ?? []).map(({ name }) => name);
  const names = alone.map(({ path: [name = ""] }) => name);
  const own = Object.fromEntries(Object.entries(query.select).filter(([name]) => !names.includes(name)));
  const unshown = key.filter((name) => own[name] !== true);
  const fill = async (rows: readonly Row[], database: Database): Promise<void> => {
    for (const row of rows as readonly Record<string, unknown>[]) {
      const roots = rowsWhere(key, [row]);
      const lists = await Promise.all(
        alone.map(({ model: related, args, whereParents }) =>
          database.of(related).findMany({ ...args, where: whereParents(roots) }),
        ),
      );
      for (const name of unshown) delete row[name];
      lists.forEach((list, index) => {
        row[names[index] ?? ""] = list;
      });
    }
    await stored.fill?.(rows, database);
  };
  const select = { ...own, ...Object.fromEntries(key.map((name) => [name, true])) };
  setModelQuery(request, { ...query, select }, { ...stored, fill });
}

function tooMany(
  weights: readonly Weight[],
  brought: (weight: Weight) => number,
  fitting: number,
  rows: number,
  max: number,
): Error {
  const longest = weights.reduce((max, one) => (brought(one) > brought(max) ? one : max)).branch;
  const hint =
    rows > 1 && fitting >= 1
      ? `use limit=${fitting}`
      : `list the ${longest.model.resource.replaceAll("-", " ")} rows separately, page by page`;
  return rejection(
    "include",
    `${longest.path.join(".")} includes more rows than the maximum of ${max} per response; ${hint}`,
  );
}

function rejection(parameter: string, what: string): Error {
  const message = `${what}.`;
  const issue = { in: "query", path: `/${parameter}`, code: "TooManyRows", message } as const;
  return httpErrors.ValidationError(message, { errors: [issue] });
}
