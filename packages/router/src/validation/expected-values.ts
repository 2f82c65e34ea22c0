import type { ExpectedList, ExpectedScalar, ExpectedValue } from "@servicekit/query-parser";

type Expectation = ExpectedValue | undefined;

/** The union of several expected types; none if one of them leaves everything open. */
export function anyOf(options: readonly Expectation[]): Expectation {
  if (options.length < 2) return options[0];
  const known = options.filter((option) => option !== undefined);
  if (known.length < options.length) return undefined;
  const scalars = known.flatMap((option) => [...(option.scalars ?? [])]);
  const literals = known.flatMap((option) => [...(option.literals ?? [])]);
  const lists = known.flatMap(({ list }) => list ?? []);
  const objects = known.filter(({ fields }) => fields !== undefined);
  return {
    ...(scalars.length > 0 ? { scalars: new Set<ExpectedScalar>(scalars) } : {}),
    ...(literals.length > 0 ? { literals: new Map(literals) } : {}),
    ...(lists.length > 0 ? { list: anyList(lists) } : {}),
    ...anyObject(objects),
  };
}

function anyList(lists: readonly ExpectedList[]): ExpectedList {
  const [only] = lists;
  if (lists.length === 1 && only !== undefined) return only;
  const longest = Math.max(...lists.map(({ first }) => first.length));
  const at = (index: number) => lists.map(({ first, rest }) => (index < first.length ? first[index] : rest));
  return { first: Array.from({ length: longest }, (_, index) => anyOf(at(index))), rest: anyOf(at(longest)) };
}

function anyObject(objects: readonly ExpectedValue[]): ExpectedValue {
  const [only] = objects;
  if (objects.length < 2 || only === undefined)
    return only === undefined ? {} : { fields: only.fields ?? new Map(), rest: only.rest };
  const keys = new Set(objects.flatMap(({ fields }) => [...(fields?.keys() ?? [])]));
  const under = (key: string) => objects.flatMap(({ fields }) => (fields?.has(key) ? [fields.get(key)] : []));
  const fields = new Map([...keys].map((key) => [key, anyOf(under(key))]));
  return { fields, rest: anyOf(objects.flatMap(({ rest }) => rest ?? [])) };
}
