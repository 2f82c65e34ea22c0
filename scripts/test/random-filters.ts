import type { Draw } from "./random-draw.js";
import { type FieldShape, meaning, operatorsFor, slice, spell, swapCase, type Term, under } from "./random-fields.js";

export type Where = Readonly<Record<string, unknown>>;

/** A filter in two forms: URL parameters, and their meaning for Prisma. */
export interface RandomFilter {
  readonly query: string;
  readonly where: Where;
  /** Whether an operand is an empty text or list. */
  readonly hasEmpty: boolean;
}

/** The material of queries: the fields that may be used, and values in the tables. */
export interface World {
  /** By `Model.field`. */
  readonly samples: ReadonlyMap<string, readonly unknown[]>;
  readonly enums: ReadonlyMap<string, readonly string[]>;
  fieldsOf(model: string): readonly FieldShape[];
  relationsOf(model: string): readonly FieldShape[];
  /** Prisma's `AnyNull`. */
  readonly anyNull: unknown;
}

interface Part {
  readonly terms: readonly Term[];
  readonly where: Where;
}

const nasty = ["%", "_", "\\", "a,b", '"', '"x"', "null", "true", "0", " ", "é", "ß", "'", "100%", "\\%", "🙂", ""];

export interface RandomFilters {
  /** A filter with this many top-level conditions. */
  filter(model: string, size: number): RandomFilter;
  /** A value in the table. */
  sample(model: string, field: FieldShape): unknown;
}

/** Creates random filters, each as URL parameters and as their meaning for Prisma. */
export function makeRandomFilters(database: World, { random, chance, below, pick }: Draw): RandomFilters {
  const { samples, enums, fieldsOf, relationsOf, anyNull } = database;
  let hasEmpty = false;

  const sample = (model: string, field: FieldShape): unknown => {
    const known = (samples.get(`${model}.${field.name}`) ?? []).filter((value) => value !== null);
    return known.length === 0 ? undefined : pick(known);
  };

  /** A value in Prisma's form, and its text in a URL. */
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
        const stored = Math.max(-32768, field.nativeType?.name === "SmallInt" ? Math.min(number, 32767) : number);
        return [stored, String(stored)];
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
        const complete = textValue(field, typeof found === "string" ? found : "x", operator);
        return [complete, complete];
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

  /** As a client must write it: an ambiguous text is quoted. */
  const written = (field: FieldShape, complete: string, isItem: boolean): string => {
    if (field.type !== "String") return complete;
    if (complete === "") hasEmpty = true;
    const isPlain =
      !complete.startsWith('"') && complete !== "null" && !(isItem && (complete === "" || /[,\\]/.test(complete)));
    return isPlain && chance(0.8) ? complete : `"${complete.replaceAll(/["\\]/g, "\\$&")}"`;
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
    if (operator === "in" || operator === "notIn" || (operator === "bare" && field.type !== "Boolean" && chance(0.3))) {
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
  /** One item with `[]` after a bare name is a list of one, which is another operator. */
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
    const terms = members.flatMap((member, index) => under(isPlainNot ? [word] : [word, String(index)], member.terms));
    const wheres = members.map(({ where }) => where);
    if (word === "or") return { terms, where: { OR: wheres } };
    return { terms, where: { AND: word === "and" ? wheres : wheres.map((where) => ({ NOT: where })) } };
  };

  /** Conditions of one place: each field, relation and kind of group occurs once. */
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

  return { filter, sample };
}
