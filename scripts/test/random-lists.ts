import { type Draw, makeDraw } from "./random-draw.js";
import {
  type FieldShape,
  inResponse,
  isFollowable,
  isOrdered,
  isStored,
  keyOrder,
  literally,
  type ModelShape,
  type SchemaShape,
  slice,
  swapCase,
} from "./random-fields.js";
import { makeRandomFilters, type RandomFilter, type Where, type World } from "./random-filters.js";

type Row = Readonly<Record<string, unknown>>;

interface Delegate {
  findMany(options: object): Promise<Row[]>;
  count(options: object): Promise<number>;
}

/** A list in two forms. */
export interface RandomList {
  readonly seed: number;
  readonly model: string;
  /** Below `/api`. */
  readonly path: string;
  readonly limit: number;
  /** `undefined` in cursor mode. */
  readonly page: number | undefined;
  readonly wantsTotal: boolean;
  /** What Prisma itself finds, in the form of a response: this page, or in cursor mode the first pages. */
  call(): Promise<{ readonly rows: readonly Row[]; readonly total: number }>;
}

export interface RandomLists {
  /** The same query for the same seed. */
  list(seed: number): RandomList;
  filter(seed: number, model: string): RandomFilter;
}

/** The number of pages in cursor mode. */
export const cursorPages = 4;

/**
 * Creates random list queries of an API, each with the equivalent call of Prisma.
 *
 * @param anyNull Prisma's `AnyNull`, which `isNull` means for a `Json` field
 */
export async function makeRandomLists(
  schema: SchemaShape,
  client: object,
  paths: Readonly<Record<string, string>>,
  anyNull: unknown,
): Promise<RandomLists> {
  const models = new Map(schema.models.map((model) => [model.name, model]));
  const enums = new Map(schema.enums.map(({ name, values }) => [name, values.map((value) => value.name)]));
  const delegate = (name: string): Delegate =>
    (client as Record<string, Delegate>)[name.charAt(0).toLowerCase() + name.slice(1)] as Delegate;
  const modelOf = (name: string): ModelShape => models.get(name) as ModelShape;
  const isSeen = ({ name, documentation = "" }: FieldShape) =>
    name !== "password" && !/@(hidden|writeonly)\b/.test(documentation);
  const fieldsOf = (name: string) => modelOf(name).fields.filter((field) => isSeen(field) && isStored(field));
  const relationsOf = (name: string) =>
    modelOf(name).fields.filter((field) => isSeen(field) && field.kind === "relation");
  const keyOf = (name: string) => modelOf(name).keys[0]?.fields ?? [];

  const samples = new Map<string, unknown[]>();
  for (const { name } of schema.models) {
    const total = await delegate(name).count({});
    const rows = [0, 0.4, 0.8].map((share) =>
      delegate(name).findMany({ take: 20, skip: Math.floor(total * share), orderBy: keyOrder(keyOf(name)) }),
    );
    for (const row of (await Promise.all(rows)).flat())
      for (const [field, value] of Object.entries(row)) {
        const known = samples.get(`${name}.${field}`) ?? [];
        samples.set(`${name}.${field}`, [...known, ...(Array.isArray(value) ? value : [value])]);
      }
  }
  const filled = Object.keys(paths).filter((name) => samples.has(`${name}.${keyOf(name)[0]}`));

  const database: World = { samples, enums, fieldsOf, relationsOf, anyNull };

  const makeMaker = (draw: Draw) => {
    const { chance, below, pick } = draw;
    const { filter, sample } = makeRandomFilters(database, draw);

    const sort = (model: string, onlyFollowable: boolean): { text: string; order: object[] } => {
      const keys = new Map<string, { path: readonly string[]; sign: string }>();
      for (let left = below(4); left > 0; left--) {
        const path: string[] = [];
        let at = model;
        while (!onlyFollowable && path.length < 2 && chance(0.3)) {
          const next = relationsOf(at).filter(({ isList }) => isList !== true);
          if (next.length === 0) break;
          const chosen = pick(next);
          path.push(chosen.name);
          at = chosen.type;
        }
        const fields = fieldsOf(at).filter((field) => isOrdered(field) && (!onlyFollowable || isFollowable(field)));
        const name = pick(fields).name;
        path.push(name);
        keys.set(path.join("."), { path, sign: pick(["", "-"]) });
      }
      const order = [...keys.values()].map(({ path, sign }) =>
        path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), sign === "-" ? "desc" : "asc"),
      ) as object[];
      const rest = keyOf(model).filter((name) => !keys.has(name));
      return {
        text: [...keys].map(([name, { sign }]) => sign + name).join(","),
        order: [...order, ...keyOrder(rest)],
      };
    };

    const include = (model: string): ReadonlyMap<string, unknown> | undefined => {
      const tree = new Map<string, unknown>();
      const paths: string[] = [];
      for (let left = 1 + below(2); left > 0; left--) {
        let at = model;
        let branch = tree;
        const path: string[] = [];
        while (path.length < 3 && (path.length === 0 || chance(0.4))) {
          const relations = relationsOf(at);
          if (relations.length === 0) break;
          const chosen = pick(relations);
          path.push(chosen.name);
          const next = (branch.get(chosen.name) as Map<string, unknown> | undefined) ?? new Map<string, unknown>();
          branch.set(chosen.name, next);
          branch = next;
          at = chosen.type;
        }
        if (path.length > 0) paths.push(path.join("."));
      }
      if (paths.length === 0) return undefined;
      tree.set("", [...new Set(paths)].join(","));
      return tree;
    };

    const fields = (model: string): { text: string | undefined; names: readonly string[] } => {
      const all = fieldsOf(model).map(({ name }) => name);
      if (chance(0.6)) return { text: undefined, names: all };
      const some = all.filter(() => chance(0.4));
      if (some.length === 0 || some.length === all.length) return { text: undefined, names: all };
      if (chance(0.5)) return { text: some.join(","), names: some };
      return { text: some.map((name) => `-${name}`).join(","), names: all.filter((name) => !some.includes(name)) };
    };

    const search = (model: string): { text: string; where: Where } | undefined => {
      const searched = fieldsOf(model).filter(
        (field) =>
          field.type === "String" &&
          field.isList !== true &&
          field.isForeignKey !== true &&
          !keyOf(model).includes(field.name) &&
          !["Uuid", "Inet", "Char"].includes(field.nativeType?.name ?? ""),
      );
      // A `char(n)` is padded with blanks: patterns on it are tested elsewhere.
      if (searched.length === 0 || fieldsOf(model).some(({ nativeType }) => nativeType?.name === "Char"))
        return undefined;
      const words = Array.from({ length: 1 + below(2) }, () => {
        const found = String(sample(model, pick(searched)) ?? "a");
        const word = pick(found.split(/\s+/).filter((one) => one !== "" && !one.includes('"'))) ?? "a";
        return chance(0.5) ? swapCase(word) : slice(word, 0, 4);
      });
      const where = words.map((word) => ({
        OR: searched.map(({ name }) => ({ [name]: { contains: literally(word), mode: "insensitive" } })),
      }));
      return { text: words.join(" "), where: { AND: where } };
    };

    return { filter, sort, include, fields, search, chance, below, pick };
  };

  const selectOf = (
    model: string,
    names: readonly string[],
    tree: ReadonlyMap<string, unknown> | undefined,
  ): object => {
    const select: Record<string, unknown> = Object.fromEntries(names.map((name) => [name, true]));
    for (const [name, branch] of tree ?? []) {
      const field = modelOf(model).fields.find((one) => one.name === name);
      if (field === undefined) continue;
      const inner = selectOf(
        field.type,
        fieldsOf(field.type).map((one) => one.name),
        branch as ReadonlyMap<string, unknown>,
      );
      select[name] =
        field.isList === true ? { select: inner, take: 100, orderBy: keyOrder(keyOf(field.type)) } : { select: inner };
    }
    return select;
  };

  const shown = (model: string, row: Row): Row => {
    const entries = Object.entries(row).map(([name, value]) => {
      const field = modelOf(model).fields.find((one) => one.name === name) as FieldShape;
      if (field.kind !== "relation") return [name, inResponse(field, value)];
      if (Array.isArray(value)) return [name, value.map((one) => shown(field.type, one as Row))];
      return [name, value === null ? null : shown(field.type, value as Row)];
    });
    return Object.fromEntries(entries) as Row;
  };

  return {
    filter: (seed, model) => {
      const maker = makeMaker(makeDraw(seed));
      return maker.filter(model, 1 + maker.below(2));
    },
    list: (seed) => {
      const maker = makeMaker(makeDraw(seed));
      const model = maker.pick(filled);
      const filter = maker.filter(model, maker.pick([0, 1, 1, 1, 2, 2, 3]));
      const inCursorMode = maker.chance(0.2);
      const { text: sortText, order: orderBy } = maker.sort(model, inCursorMode);
      const { text: fieldsText, names } = maker.fields(model);
      const tree = maker.chance(0.3) ? maker.include(model) : undefined;
      const search = maker.chance(0.15) ? maker.search(model) : undefined;
      const limit = tree === undefined ? maker.pick([undefined, 1, 3, 7, 20, 50, 100]) : 1 + maker.below(4);
      const page = inCursorMode ? undefined : maker.pick([undefined, undefined, 1, 2, 3]);
      const wantsTotal = maker.chance(0.9);
      const parameters = Object.entries({
        sort: sortText || undefined,
        fields: fieldsText,
        include: tree?.get("") as string | undefined,
        search: search?.text,
        limit,
        page,
        cursor: inCursorMode ? "" : undefined,
        count: wantsTotal ? undefined : "false",
      }).flatMap(([name, given]) => (given === undefined ? [] : [`${name}=${encodeURIComponent(given)}`]));
      const query = [filter.query, ...parameters].filter((part) => part !== "").join("&");
      const where = search === undefined ? filter.where : { AND: [filter.where, search.where] };
      const size = limit ?? 20;
      return {
        seed,
        model,
        path: `/${paths[model]}${query === "" ? "" : `?${query}`}`,
        limit: size,
        page: inCursorMode ? undefined : (page ?? 1),
        wantsTotal,
        call: async () => {
          const rows = await delegate(model).findMany({
            where,
            orderBy,
            select: selectOf(model, names, tree),
            take: inCursorMode ? size * cursorPages : size,
            skip: inCursorMode ? 0 : ((page ?? 1) - 1) * size,
          });
          return { rows: rows.map((row) => shown(model, row)), total: await delegate(model).count({ where }) };
        },
      };
    },
  };
}
