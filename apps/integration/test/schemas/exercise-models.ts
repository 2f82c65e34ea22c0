import { isDeepStrictEqual } from "node:util";
import { resourcePath } from "@servicekit/model-router/internal";
import { type Model, type Models, operatorsOf, type StoredField } from "@servicekit/prisma";
import { isHidden, isOptionalInCreate, isSortable } from "@servicekit/prisma/internal";
import type { Call, Reply } from "../../../../packages/service/test/served-schema.js";
import { makeRandom } from "../../../../scripts/test/random-draw.js";
import {
  conditionOf,
  idOf,
  isForbiddenInPaths,
  isInUniqueKey,
  isSearched,
  isSet,
  keyOf,
  operand,
  ownRelations,
  relations,
  storedField,
  storedFields,
} from "./exercised-fields.js";
import { makeValues } from "./valid-values.js";

type Row = Record<string, unknown>;

/** Distinguishes its own rows from those that it created for relations. */
export interface Exerciser {
  /** All deviations, one line each. */
  readonly problems: readonly string[];
  /** The number of requests. */
  readonly requests: () => number;
  /** Creates a row with valid random values in every field, and the rows that it references. */
  create(model: Model, fixed?: Row): Promise<Row>;
  /** Requests everything that the generated routes of a model offer. */
  exercise(model: Model, depth?: "all" | "operations"): Promise<void>;
}

/** Sends valid requests of every kind to every model, derived from the models' own description. */
export function makeExerciser(models: Models, send: Call, seed = 1): Exerciser {
  const random = makeRandom(seed);
  const makeValue = makeValues(random);
  const problems: string[] = [];
  const pool = new Map<string, Row>();
  let requests = 0;

  const call: Call = async (method, path, body, headers) => {
    requests++;
    const response = await send(method, path, body, headers);
    if (response.status >= 500)
      problems.push(`${method} ${path} ${show(body)}: ${response.status} ${show(response.body)}`);
    return response;
  };
  const expectStatus = (wanted: number, what: string, response: Reply): boolean => {
    if (response.status === wanted) return true;
    if (response.status < 500) problems.push(`${what}: ${response.status} instead of ${wanted} ${show(response.body)}`);
    return false;
  };
  const expectEqual = (what: string, seen: unknown, wanted: unknown): void => {
    if (!isDeepStrictEqual(seen, wanted)) problems.push(`${what}: ${show(seen)} instead of ${show(wanted)}`);
  };

  /** The body of a new row: a value in every field, foreign keys of existing rows. */
  async function bodyOf(model: Model, fixed: Row = {}, depth = 0, isShort = false): Promise<Row> {
    const body: Row = Object.assign(Object.create(null), fixed);
    for (const field of ownRelations(model)) {
      const { fields, references } = field.relation;
      const open = fields.filter((name) => !Object.hasOwn(body, name));
      const related = models.get(field.type);
      if (open.length === 0 || related === undefined) continue;
      const isNeeded = field.isRequired;
      if (!isNeeded && isShort) continue;
      if (!isNeeded && (related === model || depth > 1 || !related.isCreatable)) {
        for (const name of open) if (storedField(model, name)?.isRequired === false) body[name] = null;
        continue;
      }
      const settled = Object.fromEntries(
        fields.flatMap((name, index) => (Object.hasOwn(body, name) ? [[references[index] ?? "", body[name]]] : [])),
      );
      const isFree = Object.keys(settled).length === 0 && !fields.some((name) => isInUniqueKey(model, name));
      const known = isFree ? pool.get(related.name) : undefined;
      const row = known ?? (await create(related, settled, depth + 1));
      if (isFree) pool.set(related.name, row);
      for (const [index, name] of fields.entries()) body[name] = row[references[index] ?? ""];
    }
    for (const field of storedFields(model)) {
      if (Object.hasOwn(body, field.name) || !isSet(field)) continue;
      if (isShort && isOptionalInCreate(field)) continue;
      body[field.name] = makeValue(field);
    }
    return body;
  }

  async function create(model: Model, fixed: Row = {}, depth = 0): Promise<Row> {
    const path = `/${resourcePath(model)}`;
    const body = await bodyOf(model, fixed, depth);
    const response = await call("POST", path, body);
    if (!expectStatus(201, `POST ${path} ${show(body)}`, response)) return {};
    const row: Row = response.body.data;
    expectKept(`POST ${path}`, row, body);
    return row;
  }

  function expectKept(what: string, row: Row, body: Row): void {
    for (const name of Object.keys(body)) {
      const seen = Object.hasOwn(row, name) ? row[name] : undefined;
      if (!isDeepStrictEqual(seen, body[name])) expectEqual(`${what} .${name}`, seen, body[name]);
    }
  }

  /** The key as a filter, in a separate group so that another condition on the same field is possible. */
  const keyFilter = (model: Model, row: Row): string =>
    (model.key?.fields ?? [])
      .map((field) =>
        operatorsOf(field).length === 0 ? "" : `and[0][${field.name}][equals]=${operand(field, row[field.name])}`,
      )
      .join("&");

  /**
   * Everything that matches the row combined with AND, and everything that does not as alternatives: two requests per
   * field.
   */
  async function filterByEveryOperator(model: Model, row: Row): Promise<void> {
    const path = `/${resourcePath(model)}`;
    const fields = storedFields(model).filter((field) => !isHidden(field) && !isForbiddenInPaths(field.name));
    await inTurn(fields, async (field) => {
      const conditions = operatorsOf(field).flatMap((operator) => conditionOf(field, operator, row[field.name]));
      const { name } = field;
      const right = conditions
        .filter(({ holds }) => holds)
        .map(({ operator, given }) => `${name}[${operator}]=${given}`);
      const wrong = conditions
        .filter(({ holds }) => !holds)
        .map(({ operator, given }, index) => `or[${index}][${name}][${operator}]=${given}`);
      for (const [terms, total] of [
        [right, 1],
        [wrong, 0],
      ] as const) {
        if (terms.length === 0) continue;
        const target = `${path}?${[keyFilter(model, row), ...terms].join("&")}`;
        const response = await call("GET", target);
        if (expectStatus(200, `GET ${target}`, response)) expectEqual(`GET ${target}`, response.body.meta.total, total);
      }
    });
  }

  async function readInEveryWay(model: Model, row: Row): Promise<void> {
    const path = `/${resourcePath(model)}`;
    const visible = storedFields(model).filter((field) => !isHidden(field));
    const total = (await call("GET", path)).body.meta.total;
    let followed = 0;
    await inTurn(visible, async (field) => {
      if (isSortable(field)) {
        const sort = `-${field.name}`;
        const response = await call("GET", `${path}?sort=${sort}&limit=100`);
        if (expectStatus(200, `GET ${path}?sort=${sort}`, response)) {
          expectSorted(`${path}?sort=${sort}`, field, response.body.data, true);
        }
        if (followed++ < 3) await expectCursor(path, field.name, total);
      }
      const only = await call("GET", `${path}?fields=${field.name}&${keyFilter(model, row)}`);
      if (expectStatus(200, `fields=${field.name}`, only)) {
        expectEqual(`${path}?fields=${field.name}`, only.body.data, [{ [field.name]: row[field.name] }]);
      }
    });
    const texts = visible.filter((field) => isSearched(model, field) && typeof row[field.name] === "string");
    for (const field of texts.slice(0, 2)) {
      const response = await call("GET", `${path}?search=${operand(field, row[field.name])}&${keyFilter(model, row)}`);
      if (expectStatus(200, `search in ${path}`, response))
        expectEqual(`search in ${path}`, response.body.meta.total, 1);
    }
  }

  async function expectCursor(path: string, sort: string, total: number): Promise<void> {
    let seen = 0;
    const limit = Math.max(1, Math.ceil(total / 3));
    for (let cursor: string | undefined = ""; cursor !== undefined; ) {
      const response: Reply = await call("GET", `${path}?sort=${sort}&limit=${limit}&fields=-${sort}&cursor=${cursor}`);
      // A model of one field cannot exclude it, and not every order supports a cursor.
      const issue = response.status === 400 ? response.body.errors?.[0] : undefined;
      if (issue?.path === "/fields" || issue?.message?.startsWith("A cursor does not support the order")) return;
      if (!expectStatus(200, `GET ${path}?sort=${sort}&cursor=`, response)) return;
      seen += response.body.data.length;
      cursor = response.body.meta.nextCursor ?? undefined;
      if (seen > total) break;
    }
    expectEqual(`rows of ${path} by cursor over ${sort}`, seen, total);
  }

  function expectSorted(what: string, field: StoredField, rows: readonly Row[], isDescending: boolean): void {
    if (!["Int", "BigInt", "Float", "Decimal", "DateTime"].includes(field.type)) return;
    const numbers = rows
      .map((row) => row[field.name])
      .filter((value) => value !== null)
      .map((value) => (field.type === "DateTime" ? Date.parse(String(value)) : Number(value)));
    const sorted = [...numbers].sort((a, b) => (isDescending ? b - a : a - b));
    expectEqual(what, numbers, sorted);
  }

  async function includeEveryRelation(model: Model, row: Row): Promise<void> {
    const path = `/${resourcePath(model)}`;
    for (const field of relations(model)) {
      const related = models.get(field.type);
      const response = await call("GET", `${path}/${keyOf(model, row)}?include=${field.name}`);
      if (!expectStatus(200, `GET ${path}/${keyOf(model, row)}?include=${field.name}`, response)) continue;
      const value = response.body.data[field.name];
      const { fields, references } = field.relation;
      if (field.isList) expectEqual(`${path}?include=${field.name} is a list`, Array.isArray(value), true);
      else if (fields.length > 0) {
        const wanted = fields.some((name) => row[name] === null) ? undefined : fields.map((name) => row[name]);
        const seen = value === null ? undefined : references.map((name) => (value as Row | undefined)?.[name]);
        expectEqual(`${path}?include=${field.name}`, seen, wanted);
      }
      for (const next of related === undefined ? [] : relations(related)) {
        const target = `${path}?include=${field.name}.${next.name}&limit=3`;
        expectStatus(200, `GET ${target}`, await call("GET", target));
        if (!next.isList) continue;
        const alone = `${path}/${keyOf(model, row)}?include=${field.name}.${next.name}`;
        expectStatus(200, `GET ${alone}`, await call("GET", alone));
      }
      const key = related?.key?.fields[0];
      if (key === undefined || isForbiddenInPaths(field.name) || operatorsOf(key).length === 0) continue;
      if (isForbiddenInPaths(key.name)) continue;
      const at = references.indexOf(key.name);
      const target = `${path}?${field.name}[${key.name}][equals]=${operand(key, at === -1 ? makeValue(key) : row[fields[at] ?? ""])}`;
      if (at !== -1 && row[fields[at] ?? ""] === null) continue;
      const filtered = await call("GET", `${target}&${keyFilter(model, row)}`);
      if (!expectStatus(200, `GET ${target}`, filtered)) continue;
      if (at !== -1 && fields.length === 1) expectEqual(`GET ${target}`, filtered.body.meta.total, 1);
      if (!field.isList && isSortable(key)) {
        const sort = `${path}?sort=-${field.name}.${key.name}`;
        expectStatus(200, `GET ${sort}`, await call("GET", sort));
      }
    }
  }

  /** New values in every field that identifies neither the row nor another one. */
  const changesOf = (model: Model, isEmpty: boolean): Row =>
    Object.assign(
      Object.create(null),
      Object.fromEntries(
        storedFields(model).flatMap((field) => {
          if (field.isForeignKey || !isSet(field) || model.key?.fields.includes(field)) return [];
          const isNull = isEmpty && !field.isRequired && !field.isList;
          return [[field.name, isNull ? null : isEmpty && field.isList ? [] : makeValue(field)]];
        }),
      ),
    );

  async function write(model: Model, first: Row): Promise<void> {
    const path = `/${resourcePath(model)}`;
    const one = `${path}/${keyOf(model, first)}`;
    let row = first;
    for (const isEmpty of [true, false]) {
      const changes = changesOf(model, isEmpty);
      if (Object.keys(changes).length === 0) continue;
      const etag = (await call("GET", one)).headers.get("etag") ?? "";
      const response = await call("PATCH", one, changes, { "if-match": etag });
      if (!expectStatus(200, `PATCH ${one} ${show(changes)}`, response)) continue;
      const before = row;
      row = response.body.data;
      expectKept(`PATCH ${one}`, row, changes);
      expectEqual(`GET ${one} after PATCH`, (await call("GET", one)).body.data, row);
      if (isDeepStrictEqual(row, before)) continue;
      const stale = await call("PATCH", one, changes, { "if-match": etag });
      expectStatus(412, `PATCH ${one} with a stale ETag`, stale);
    }
    expectStatus(204, `DELETE ${one}`, await call("DELETE", one));
    expectStatus(404, `GET ${one} after DELETE`, await call("GET", one));
  }

  async function writeInBulk(model: Model): Promise<void> {
    const path = `/${resourcePath(model)}`;
    const bodies = [await bodyOf(model), await bodyOf(model), await bodyOf(model)];
    const created = await call("POST", `${path}/many`, bodies);
    if (!expectStatus(201, `POST ${path}/many ${show(bodies)}`, created)) return;
    const rows: Row[] = created.body.data;
    for (const [index, row] of rows.entries()) expectKept(`POST ${path}/many`, row, bodies[index] ?? {});
    // The `id` of an item identifies its row, whatever the key is named.
    const changes = rows.map(() => without(changesOf(model, false), "id"));
    if (Object.keys(changes[0] ?? {}).length > 0) {
      const items = rows.map((row, index) => ({
        id: idOf(model, row),
        ...changes[index],
      }));
      const updated = await call("PATCH", `${path}/many`, items);
      if (expectStatus(200, `PATCH ${path}/many ${show(items)}`, updated)) {
        for (const [index, row] of (updated.body.data as Row[]).entries()) {
          expectKept(`PATCH ${path}/many`, row, changes[index] ?? {});
        }
      }
      const common = Object.fromEntries(
        Object.entries(changesOf(model, false)).filter(([name]) => !isInUniqueKey(model, name)),
      );
      const filter = keyFilter(model, rows[0] ?? {});
      if (Object.keys(common).length > 0 && filter !== "") {
        const filtered = await call("PATCH", `${path}/many?${filter}`, common);
        if (expectStatus(200, `PATCH ${path}/many?${filter} ${show(common)}`, filtered)) {
          expectEqual(`PATCH ${path}/many?${filter}`, filtered.body.meta, { count: 1 });
          expectKept(`PATCH ${path}/many?filter`, filtered.body.data[0] ?? {}, common);
        }
      }
    }
    const [one, ...others] = rows;
    const gone = await call("DELETE", `${path}/many`, { ids: others.map((row) => idOf(model, row)) });
    if (expectStatus(200, `DELETE ${path}/many`, gone)) {
      expectEqual(`DELETE ${path}/many`, gone.body.meta, { count: others.length });
    }
    const filter = keyFilter(model, one ?? {});
    if (filter !== "") {
      const last = await call("DELETE", `${path}/many?${filter}`);
      if (expectStatus(200, `DELETE ${path}/many?${filter}`, last)) {
        expectEqual(`DELETE ${path}/many?${filter}`, last.body.meta, { count: 1 });
      }
    }
  }

  return {
    problems,
    requests: () => requests,
    create,
    exercise: async (model, depth = "all") => {
      const path = `/${resourcePath(model)}`;
      expectStatus(200, `GET ${path}`, await call("GET", path));
      if (model.isView || !model.isCreatable || model.key === undefined) return;
      const short = await call("POST", path, await bodyOf(model, {}, 0, true));
      expectStatus(201, `POST ${path} with what is required`, short);
      const row = await create(model);
      if (Object.keys(row).length === 0) return;
      const one = await call("GET", `${path}/${keyOf(model, row)}`);
      if (!expectStatus(200, `GET ${path}/${keyOf(model, row)}`, one)) return;
      expectEqual(`GET ${path}/${keyOf(model, row)}`, one.body.data, row);
      if (depth === "all") {
        await filterByEveryOperator(model, row);
        await readInEveryWay(model, row);
        await includeEveryRelation(model, row);
      }
      await write(model, row);
      await writeInBulk(model);
    },
  };
}

const without = (row: Row, name: string): Row =>
  Object.fromEntries(Object.entries(row).filter(([other]) => other !== name));

/** A few concurrently. */
async function inTurn<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const queue = [...items];
  const worker = async (): Promise<void> => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
  };
  await Promise.all([worker(), worker(), worker(), worker()]);
}

const show = (value: unknown): string => (JSON.stringify(value) ?? "").slice(0, 400);
