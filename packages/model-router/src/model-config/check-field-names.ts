import type { IssueList } from "@servicekit/core/internal";
import { isObject } from "@servicekit/core/internal";
import { type Model } from "@servicekit/prisma";
import { isHidden, isSortable, isStored } from "@servicekit/prisma/internal";

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
  const computed = keysOf(config.computed);
  const own = model.fields.map(({ name }) => name);
  const fields = [...own, ...computed];
  for (const key of ["readonly", "writable"]) check(key, config[key], "field", own);
  check("hidden", config.hidden, "field", fields);
  const isText = ({ type, isList }: Model["fields"][number]): boolean => type === "String" && !isList;
  const texts = model.fields.filter(isText).map(({ name }) => name);
  check("searchable", config.searchable, "text field", texts);
  checkSearch(where, config, model, issues);
  for (const [operation, options] of entriesOf(config.uploads)) {
    check(`uploads.${operation}`, attachedFields(options), "field", own);
  }
  check(
    "search.fields",
    memberOf(config.search, "fields"),
    "visible text field",
    visible.filter(isText).map(({ name }) => name),
  );
  for (const [role, names] of entriesOf(memberOf(config.auth, "fields"))) {
    check(`auth.fields.${role}`, names, "field", fields);
  }
  const stored = visible.filter(isStored);
  const shownNames = [...stored.map(({ name }) => name), ...computed.filter((name) => !hidden.includes(name))];
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
    check(`${place}.omit`, keysOf(memberOf(options, "omit")), "field", shownNames);
    check(`${place}.select`, keysOf(select), "field or relation", [...shownNames, ...relations]);
    if (!isObject(select) || shownNames.some((name) => select[name] === true)) continue;
    issues.add(`${where}.${place}.select`, "Expected at least one visible field.");
  }
}

/** The fields of a body that contain the files of an upload; a wrong name of a form field is reported elsewhere. */
function attachedFields(uploads: unknown): string[] {
  if (memberOf(uploads, "attachToBody") === false) return [];
  const fields = memberOf(uploads, "fields");
  const names = [
    memberOf(uploads, "field"),
    ...(Array.isArray(fields) ? fields : []).map((one) => memberOf(one, "name")),
  ];
  return textsIn(names).map((name) => name.split("[", 1)[0] ?? "");
}

/** Validates that the search of a model can have an index. */
function checkSearch(
  where: string,
  { search, searchable }: Readonly<Record<string, unknown>>,
  { name, isView }: Model,
  issues: IssueList,
): void {
  if (!isObject(search)) return;
  if (isView) issues.add(`${where}.search`, `${name} is a view, which cannot have an index. Use searchable.`);
  if (searchable !== undefined)
    issues.add(`${where}.searchable`, "search has fields of its own. Remove one of the two.");
  if (search.mode === "similarity" && search.language !== undefined)
    issues.add(`${where}.search.language`, "Similar spellings have no language. Remove it.");
  const names = textsIn(search.fields);
  if (new Set(names).size < names.length) issues.add(`${where}.search.fields`, "Name each field once.");
}

const textsIn = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
const entriesOf = (value: unknown): [string, unknown][] => (isObject(value) ? Object.entries(value) : []);
const keysOf = (value: unknown): string[] => entriesOf(value).map(([name]) => name);
const memberOf = (value: unknown, key: string): unknown => (isObject(value) ? value[key] : undefined);
