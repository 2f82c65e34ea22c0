/** What the generator of the models writes, as far as questions are made from it: read here without our own reader. */
export interface ModelShape {
  readonly name: string;
  readonly fields: readonly FieldShape[];
  readonly keys: readonly { readonly fields: readonly string[] }[];
}

export interface FieldShape {
  readonly name: string;
  readonly kind: string;
  readonly type: string;
  readonly isList?: boolean;
  readonly isOptional?: boolean;
  readonly isForeignKey?: boolean;
  readonly documentation?: string;
  readonly nativeType?: { readonly name: string; readonly args: readonly string[] };
}

export interface SchemaShape {
  readonly enums: readonly { readonly name: string; readonly values: readonly { readonly name: string }[] }[];
  readonly models: readonly ModelShape[];
}

type Row = Readonly<Record<string, unknown>>;
type Where = Readonly<Record<string, unknown>>;

interface Delegate {
  findMany(options: object): Promise<Row[]>;
  count(options: object): Promise<number>;
}

/** A filter in two forms: parameters of a URL, and what they must mean to Prisma. */
export interface RandomFilter {
  readonly query: string;
  readonly where: Where;
  /** Whether an operand is the empty text or list. */
  readonly hasEmpty: boolean;
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
  /** What Prisma itself finds, in the form of an answer: this page, or in cursor mode the first pages. */
  ask(): Promise<{ readonly rows: readonly Row[]; readonly total: number }>;
}

export interface RandomLists {
  /** The same question for the same seed. */
  list(seed: number): RandomList;
  filter(seed: number, model: string): RandomFilter;
}

/** Pages that are walked in cursor mode. */
export const cursorPages = 4;

interface Term {
  readonly segments: readonly string[];
  readonly values: readonly string[];
}

interface Part {
  readonly terms: readonly Term[];
  readonly where: Where;
}

const nasty = ["%", "_", "\\", "a,b", '"', '"x"', "null", "true", "0", " ", "é", "ß", "'", "100%", "\\%", "🙂", ""];
const order = ["lt", "lte", "gt", "gte"] as const;
const equality = ["equals", "not", "in", "notIn"] as const;
const text = ["contains", "icontains", "startsWith", "istartsWith", "endsWith", "iendsWith", "iequals"] as const;

/** A generator of numbers from 0 to 1 (mulberry32): the same ones for the same seed. */
function makeRandom(seed: number): () => number {
  let state = (seed + 1) * 0x9e3779b1;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * Makes random questions to the lists of an API, each with the call of Prisma that must find the same.
 *
 * @param anyNull Prisma's `AnyNull`: what `isNull` means to a `Json` field
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

  const makeMaker = (random: () => number) => {
    let hasEmpty = false;
    const chance = (share: number): boolean => random() < share;
    const below = (count: number): number => Math.floor(random() * count);
    const pick = <Item>(items: readonly Item[]): Item => items[below(items.length)] as Item;

    const sample = (model: string, field: FieldShape): unknown => {
      const known = (samples.get(`${model}.${field.name}`) ?? []).filter((value) => value !== null);
      return known.length === 0 ? undefined : pick(known);
    };

    /** A value as Prisma takes it, and the text that a URL says it with. */
    const value = (model: string, field: FieldShape, operator: string): [unknown, string] => {
      if (field.kind === "enum") {
        const word = pick(enums.get(field.type) ?? []);
        return [word, word];
      }
      const found = sample(model, field);
      switch (field.type) {
        case "Boolean": {
          const flag = chance(0.5);
          return [flag, String(flag)];
        }
        case "Int": {
          const number = typeof found === "number" && chance(0.9) ? found + pick([0, 0, 0, 1, -1]) : below(20) - 5;
          const kept = Math.max(-32768, field.nativeType?.name === "SmallInt" ? Math.min(number, 32767) : number);
          return [kept, String(kept)];
        }
        case "BigInt": {
          const number = (typeof found === "bigint" ? found : 0n) + BigInt(pick([0, 0, 1, -1]));
          return [number, String(number)];
        }
        case "Float": {
          const number = typeof found === "number" ? found : pick([0, 0.5, 1.25]);
          return [number, String(number)];
        }
        case "Decimal": {
          const written = String(found ?? pick(["0", "9.99", "-1.5"]));
          return [written, written];
        }
        case "DateTime": {
          const day = 86_400_000;
          const isDay = field.nativeType?.name === "Date";
          const shift = pick([0, 0, 0, day, -day, ...(isDay ? [] : [1, -1])]);
          const date = new Date((found instanceof Date ? found.getTime() : Date.UTC(2025, 0, 1)) + shift);
          return [date, isDay ? date.toISOString().slice(0, 10) : date.toISOString()];
        }
        default: {
          const whole = textValue(field, typeof found === "string" ? found : "x", operator);
          return [whole, whole];
        }
      }
    };

    const textValue = (field: FieldShape, found: string, operator: string): string => {
      const native = field.nativeType?.name;
      if (native === "Uuid" || native === "Char" || native === "Inet") return found;
      if (chance(0.12)) return pick(nasty);
      const cased = operator.startsWith("i") && operator !== "in" && chance(0.7) ? swapCase(found) : found;
      const length = Math.max(1, below(Math.min(cased.length, 12)));
      if (/contains$/.test(operator)) return slice(cased, below(cased.length), length);
      if (/startsWith$/i.test(operator)) return slice(cased, 0, length);
      if (/endsWith$/i.test(operator)) return slice(cased, Math.max(0, cased.length - length), length);
      return cased;
    };

    /** As a client must write it: a text that could mean something else stands in quotes. */
    const written = (field: FieldShape, whole: string, isItem: boolean): string => {
      if (field.type !== "String") return whole;
      if (whole === "") hasEmpty = true;
      const isPlain = !whole.startsWith('"') && whole !== "null" && !(isItem && (whole === "" || /[,\\]/.test(whole)));
      return isPlain && chance(0.8) ? whole : `"${whole.replaceAll(/["\\]/g, "\\$&")}"`;
    };

    const listTerms = (segments: readonly string[], items: readonly string[]): readonly Term[] => {
      if (items.length > 1 && chance(0.25)) return [{ segments, values: items }];
      if (chance(0.15)) return [{ segments: [...segments, ""], values: items }];
      return [{ segments, values: [items.join(",")] }];
    };

    const condition = (model: string, field: FieldShape): Part => {
      const { name } = field;
      const one = (segments: readonly string[], raw: string): readonly Term[] => [{ segments, values: [raw] }];
      if (field.isList === true) return listCondition(model, field);
      if (field.isOptional === true && (field.type === "Json" || chance(0.15))) {
        const nothing = field.type === "Json" ? anyNull : null;
        const flag = chance(0.5);
        const form = pick(["isNull", "null", "not"] as const);
        if (form === "isNull" || field.type === "Json")
          return {
            terms: one([name, "isNull"], String(flag)),
            where: { [name]: flag ? { equals: nothing } : { not: nothing } },
          };
        if (form === "null")
          return { terms: one(flag ? [name] : [name, "equals"], "null"), where: { [name]: { equals: null } } };
        return { terms: one([name, "not"], "null"), where: { [name]: { not: null } } };
      }
      const operator = pick(["bare", ...operatorsFor(field)]);
      if (
        operator === "in" ||
        operator === "notIn" ||
        (operator === "bare" && field.type !== "Boolean" && chance(0.3))
      ) {
        const isNot = operator === "notIn";
        const values = Array.from({ length: 1 + below(4) }, () => value(model, field, "equals"));
        const isBareOne = operator === "bare" && values.length === 1;
        const items = values.map(([, raw]) => written(field, raw, true));
        const withNull = !isBareOne && field.isOptional === true && chance(0.25);
        const list: Where = { [name]: { [isNot ? "notIn" : "in"]: values.map(([own]) => own) } };
        const nothing: Where = { [name]: isNot ? { not: null } : null };
        const where = withNull ? { [isNot ? "AND" : "OR"]: [list, nothing] } : list;
        const segments = operator === "bare" ? [name] : [name, operator];
        return { terms: listTerms(segments, withNull ? [...items, "null"] : items), where };
      }
      const [own, raw] = value(model, field, operator);
      const isBare = operator === "bare";
      const terms = one(isBare ? [name] : [name, operator], written(field, raw, isBare));
      return { terms, where: { [name]: meaning(isBare ? "equals" : operator, own) } };
    };

    const listCondition = (model: string, field: FieldShape): Part => {
      const { name } = field;
      const operator = pick(["bare", "has", "hasSome", "hasEvery", "isEmpty", "equals"] as const);
      if (operator === "isEmpty") {
        const flag = chance(0.5);
        const empty = { [name]: { isEmpty: true } };
        return {
          terms: [{ segments: [name, operator], values: [String(flag)] }],
          where: flag ? { OR: [empty, { [name]: { equals: null } }] } : { [name]: { isEmpty: false } },
        };
      }
      const single = operator === "has" || (operator === "bare" && chance(0.5));
      const values = Array.from({ length: single ? 1 : 1 + below(3) }, () => value(model, field, "equals"));
      const items = values.map(([, raw]) => written(field, raw, operator !== "has"));
      const word = operator === "bare" ? (values.length === 1 ? "has" : "hasSome") : operator;
      const where = { [name]: { [word]: word === "has" ? values[0]?.[0] : values.map(([own]) => own) } };
      const segments = operator === "bare" ? [name] : [name, operator];
      return { terms: single ? [{ segments, values: items }] : separate(segments, items), where };
    };
    /** One item with `[]` after a bare name is a list of one: that means another operator. */
    const separate = (segments: readonly string[], items: readonly string[]): readonly Term[] =>
      segments.length === 1 ? [{ segments, values: [items.join(",")] }] : listTerms(segments, items);

    const relation = (field: FieldShape, hops: number, groups: number): Part => {
      const { name, type } = field;
      if (field.isList !== true && field.isOptional === true && chance(0.2)) {
        const form = pick<[string[], string, unknown]>([
          [[name], "null", null],
          [[name, "isNull"], "true", null],
          [[name, "isNull"], "false", { isNot: null }],
          [[name, "is"], "null", null],
          [[name, "isNot"], "null", { isNot: null }],
        ]);
        return { terms: [{ segments: form[0], values: [form[1]] }], where: { [name]: form[2] } };
      }
      const words = field.isList === true ? ["some", "every", "none"] : ["is", "isNot"];
      const word = chance(0.4) ? undefined : pick(words);
      const inner = level(type, hops - 1, groups, 1 + below(2));
      const prefix = word === undefined ? [name] : [name, word];
      return { terms: under(prefix, inner.terms), where: { [name]: { [word ?? (words[0] as string)]: inner.where } } };
    };

    const group = (word: string, model: string, hops: number, groups: number): Part => {
      const isPlainNot = word === "not" && chance(0.6);
      const count = isPlainNot ? 1 : 1 + below(3);
      const members = Array.from({ length: count }, () => level(model, hops, groups - 1, 1 + below(2)));
      const terms = members.flatMap((member, index) =>
        under(isPlainNot ? [word] : [word, String(index)], member.terms),
      );
      const wheres = members.map(({ where }) => where);
      if (word === "or") return { terms, where: { OR: wheres } };
      return { terms, where: { AND: word === "and" ? wheres : wheres.map((where) => ({ NOT: where })) } };
    };

    /** Conditions of one place: each field, relation and kind of group comes once. */
    const level = (model: string, hops: number, groups: number, size: number): Part => {
      const taken = new Set<string>();
      const parts: Part[] = [];
      const relations = relationsOf(model);
      while (parts.length < size) {
        const form = random();
        if (form < 0.25 && hops > 0 && relations.length > 0) {
          const field = pick(relations);
          if (taken.has(field.name)) continue;
          taken.add(field.name);
          parts.push(relation(field, hops, groups));
        } else if (form < 0.45 && groups > 0) {
          const word = pick(["or", "and", "not"]);
          if (taken.has(word)) continue;
          taken.add(word);
          parts.push(group(word, model, hops, groups));
        } else {
          const field = pick(
            fieldsOf(model).filter(({ type, isList }) => type !== "Bytes" && !(type === "Json" && isList)),
          );
          if (taken.has(field.name) || (field.type === "Json" && field.isOptional !== true)) {
            if (taken.size >= 3) break;
            continue;
          }
          taken.add(field.name);
          parts.push(condition(model, field));
        }
      }
      const [first] = parts;
      if (first !== undefined && parts.length === 1) return first;
      return { terms: parts.flatMap(({ terms }) => terms), where: { AND: parts.map(({ where }) => where) } };
    };

    const filter = (model: string, size: number): RandomFilter => {
      hasEmpty = false;
      if (size === 0) return { query: "", where: {}, hasEmpty };
      const { terms, where } = level(model, 3, 3, size);
      const query = terms.flatMap(({ segments, values }) => {
        const name = spell(segments, pick([0, 0, 1, 1, 2]));
        return values.map((one) => `${encodeURIComponent(name)}=${encodeURIComponent(one)}`);
      });
      return { query: query.join("&"), where, hasEmpty };
    };

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
      // Blanks fill up a `char(n)`: what a pattern finds there is another test's matter.
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
      if (field.kind !== "relation") return [name, inAnswer(field, value)];
      if (Array.isArray(value)) return [name, value.map((one) => shown(field.type, one as Row))];
      return [name, value === null ? null : shown(field.type, value as Row)];
    });
    return Object.fromEntries(entries) as Row;
  };

  return {
    filter: (seed, model) => {
      const maker = makeMaker(makeRandom(seed));
      return maker.filter(model, 1 + maker.below(2));
    },
    list: (seed) => {
      const maker = makeMaker(makeRandom(seed));
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
        ask: async () => {
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

const isStored = ({ kind }: FieldShape): boolean => kind === "scalar" || kind === "enum";
const keyOrder = (names: readonly string[]): object[] => names.map((name) => ({ [name]: "asc" }));
const isOrdered = ({ isList, type }: FieldShape): boolean => isList !== true && type !== "Json" && type !== "Bytes";
const under = (prefix: readonly string[], terms: readonly Term[]): readonly Term[] =>
  terms.map(({ segments, values }) => ({ segments: [...prefix, ...segments], values }));
const literally = (given: string): string => given.replaceAll(/[\\%_]/g, "\\$&");
const slice = (given: string, from: number, length: number): string =>
  [...given.slice(from, from + length)].join("").toWellFormed().replaceAll("\ufffd", "a");
const swapCase = (given: string): string => (given === given.toLowerCase() ? given.toUpperCase() : given.toLowerCase());

/** A cursor can only remember what JSON says exactly, and compare what has an order. */
function isFollowable({ kind, type, nativeType }: FieldShape): boolean {
  if (kind === "enum" || type === "Boolean") return false;
  return (
    type !== "DateTime" ||
    nativeType === undefined ||
    nativeType.name === "Date" ||
    Number(nativeType.args[0] ?? 6) <= 3
  );
}

function operatorsFor({ kind, type, nativeType }: FieldShape): readonly string[] {
  if (kind === "enum") return equality;
  if (type === "Boolean") return ["equals", "not"];
  const isPlainText = type === "String" && !["Uuid", "Inet", "Char"].includes(nativeType?.name ?? "");
  return isPlainText ? [...equality, ...order, ...text, ...text] : [...equality, ...order];
}

/** An operator of the contract in Prisma's words. */
function meaning(operator: string, value: unknown): unknown {
  const insensitive = (operation: string) => ({ [operation]: literally(value as string), mode: "insensitive" });
  switch (operator) {
    case "contains":
    case "startsWith":
    case "endsWith":
      return { [operator]: literally(value as string) };
    case "icontains":
      return insensitive("contains");
    case "istartsWith":
      return insensitive("startsWith");
    case "iendsWith":
      return insensitive("endsWith");
    case "iequals":
      return insensitive("equals");
    default:
      return { [operator]: value };
  }
}

/** The spellings of a name: with underscores, with brackets, with both. */
function spell([first = "", ...rest]: readonly string[], form: number): string {
  if (form === 0 && !rest.includes("")) return [first, ...rest].join("__");
  if (form === 1 || rest.includes("")) return first + rest.map((segment) => `[${segment}]`).join("");
  return first + rest.map((segment, index) => (index % 2 === 0 ? `__${segment}` : `[${segment}]`)).join("");
}

/** The form of contract C4. */
function inAnswer(field: FieldShape, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => inAnswer({ ...field, isList: false }, item));
  if (value === null || field.type === "Json") return value;
  switch (field.type) {
    case "BigInt":
      return String(value);
    case "Decimal": {
      const places = field.nativeType?.args[1];
      return (value as { toFixed(places?: number): string }).toFixed(places === undefined ? undefined : Number(places));
    }
    case "DateTime":
      return (value as Date).toISOString();
    case "Bytes":
      return Buffer.from(value as Uint8Array).toString("base64");
    default:
      return field.nativeType?.name === "Char" ? (value as string).trimEnd() : value;
  }
}
