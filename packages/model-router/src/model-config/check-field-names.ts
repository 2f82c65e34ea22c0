import type { IssueList } from "@servicekit/core/internal";
import { isObject } from "@servicekit/core/internal";
import { type Model } from "@servicekit/prisma";
import { isHidden, isSortable } from "@servicekit/prisma/internal";

/**
 * Validates the field names in a configuration. Values of a wrong type are ignored, because the schema of the
 * configuration reports them.
 */
export function checkFieldNames(
  where: string,
  config: Readonly<Record<string, unknown>>,
  model: Model,
  issues: IssueList,
): void {
  const hidden = textsIn(config.hidden);
  const visible = model.fields.filter((field) => !isHidden(field) && !hidden.includes(field.name));
  const relations = visible.filter(({ kind }) => kind === "relation").map(({ name }) => name);
  const check = (place: string, given: unknown, what: string, known: readonly string[]): void => {
    for (const name of textsIn(given)) {
      if (known.includes(name)) continue;
      if (relations.includes(name))
        issues.add(
          `${where}.${place}`,
          `${name} is a relation of ${model.name}, not a ${what}; expected one of ${known.join(", ")}.`,
        );
      else issues.unknown(`${where}.${place}`, what, name, known);
    }
  };
  const fields = model.fields.map(({ name }) => name);
  for (const key of ["hidden", "readonly", "writable"]) check(key, config[key], "field", fields);
  const isText = ({ type, isList }: Model["fields"][number]): boolean => type === "String" && !isList;
  const texts = model.fields.filter(isText).map(({ name }) => name);
  check("searchable", config.searchable, "text field", texts);
  for (const [role, names] of entriesOf(memberOf(config.auth, "fields"))) {
    check(`auth.fields.${role}`, names, "field", fields);
  }
  const stored = visible.flatMap((field) => (field.kind === "relation" || field.kind === "unsupported" ? [] : [field]));
  const storedNames = stored.map(({ name }) => name);
  const sortable = stored.filter(isSortable).map(({ name }) => name);
  for (const [operation, options] of entriesOf(config.query)) {
    const place = `query.${operation}`;
    const orders = [memberOf(options, "orderBy")].flat().flatMap(entriesOf);
    check(
      `${place}.orderBy`,
      orders.map(([name]) => name),
      "sort field",
      sortable,
    );
    const select = memberOf(options, "select");
    check(`${place}.omit`, keysOf(memberOf(options, "omit")), "field", storedNames);
    check(`${place}.select`, keysOf(select), "field or relation", [...storedNames, ...relations]);
    if (!isObject(select) || storedNames.some((name) => select[name] === true)) continue;
    issues.add(`${where}.${place}.select`, "Expected at least one visible field.");
  }
}

const textsIn = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
const entriesOf = (value: unknown): [string, unknown][] => (isObject(value) ? Object.entries(value) : []);
const keysOf = (value: unknown): string[] => entriesOf(value).map(([name]) => name);
const memberOf = (value: unknown, key: string): unknown => (isObject(value) ? value[key] : undefined);
