import { type IssueList, isObject, nearestWord } from "@servicekit/core/internal";
import { defaultExport } from "../default-export.js";
import type { Component } from "./component.js";
import type { ModuleKind } from "./module-kind.js";
import type { ModuleParts } from "./module-parts.js";

type Exports = Readonly<Record<string, unknown>>;

/** Whether an export can be used as a schema. */
export type IsSchema<Schema> = (value: unknown) => value is Schema;

/** The purpose for which a file is read. */
export interface ComponentPlace<Schema> {
  readonly kind: ModuleKind;
  readonly isSchema: IsSchema<Schema>;
  /** The file in messages. */
  readonly where: string;
  readonly issues: IssueList;
}

/** The content of one file of a module. */
export interface ReadComponent<Schema> {
  readonly parts: ModuleParts<Schema>;
  /** Its description in a log. */
  readonly names: readonly string[];
}

/** Reads the exports of a file by its kind. Misspelled exports and wrong types are issues. */
export function readComponent<Schema>(
  component: Component,
  exports: Exports,
  { kind, isSchema, where, issues }: ComponentPlace<Schema>,
): ReadComponent<Schema> {
  switch (component) {
    case "middlewares": {
      const isHook = (value: unknown): boolean =>
        [value].flat(Number.POSITIVE_INFINITY).every((one) => typeof one === "function");
      const expected = { what: "hook", known: kind.hooks, type: "a function or a list of functions", test: isHook };
      const hooks = readNamed(exports, expected, where, issues) as NonNullable<ModuleParts["hooks"]>;
      return { parts: { hooks }, names: Object.keys(hooks) };
    }
    case "schemas":
    case "dtos": {
      if (kind.schemas.length === 0) {
        issues.add(where, `The module ${kind.name} does not support schemas.`);
        return { parts: {}, names: [] };
      }
      const type = "a Zod schema or a class with class-validator decorators";
      const expected = { what: "schema", known: kind.schemas, type, test: isSchema };
      const schemas = readNamed(exports, expected, where, issues) as Readonly<Record<string, Schema>>;
      return { parts: { schemas }, names: Object.keys(schemas) };
    }
    case "events": {
      const { events: known = [] } = kind;
      if (known.length === 0) {
        issues.add(where, `The module ${kind.name} has no rows, so there are no changes to subscribe to.`);
        return { parts: {}, names: [] };
      }
      const isFunction = (value: unknown): boolean => typeof value === "function";
      const expected = { what: "subscriber", known, type: "a function", test: isFunction };
      const events = readNamed(exports, expected, where, issues) as NonNullable<ModuleParts["events"]>;
      return { parts: { events }, names: Object.keys(events) };
    }
    case "model": {
      const config = defaultExport(exports);
      if (!isObject(config)) {
        issues.wrong(where, "an object as the default export", config);
        return { parts: {}, names: [] };
      }
      kind.checkConfig?.(where, config, issues);
      return { parts: { config }, names: Object.keys(config) };
    }
    case "router": {
      const router = defaultExport(exports);
      const isRouter = typeof router === "function" || (isObject(router) && typeof router.handle === "function");
      if (!isRouter) issues.wrong(where, "a router as the default export", router);
      return { parts: isRouter ? { router: router as NonNullable<ModuleParts["router"]> } : {}, names: [] };
    }
  }
}

interface Expected {
  readonly what: string;
  readonly known: readonly string[];
  readonly type: string;
  readonly test: (value: unknown) => boolean;
}

/** The exports with known names. Others are ignored, unless they look misspelled. */
function readNamed(exports: Exports, { what, known, type, test }: Expected, where: string, issues: IssueList): Exports {
  const named = namedExports(exports);
  const read: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(named)) {
    if (!known.includes(name)) continue;
    if (test(value)) read[name] = value;
    else issues.wrong(`${where} (${name})`, type, value);
  }
  const given = new Set(Object.values(read));
  for (const [name, value] of Object.entries(named)) {
    // A class may be exported under its own name in addition to the known one.
    if (known.includes(name) || given.has(value)) continue;
    if (name === "default") {
      if (test(value)) issues.add(where, `Default exports are not read here: export each ${what} by its name.`);
    } else if (nearestWord(name, known) !== undefined || looksLike(what, name)) {
      issues.unknown(where, what, name, known);
    }
  }
  return read;
}

/** Whether a name has the form of those that are read. */
const looksLike = (what: string, name: string): boolean =>
  (what === "hook" && /^(before|after)[A-Z]/.test(name)) || (what === "subscriber" && /^on[A-Z]/.test(name));

/** For CommonJS, the default export contains all exports, and the namespace only some. */
function namedExports(exports: Exports): Exports {
  const { default: value, "module.exports": _, __esModule: __, ...named } = exports;
  if (value === undefined) return named;
  if (!isObject(value) || Object.keys(named).some((name) => named[name] !== value[name]))
    return { ...named, default: value };
  return { ...named, ...value };
}
