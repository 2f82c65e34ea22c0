import type { Field, Model, Models } from "@servicekit/prisma";
import { isHidden } from "@servicekit/prisma/internal";
import { hideFields } from "./config/hide-fields.js";
import type { ResourceSettings } from "./config/resource-config.js";
import { makeResources, type Resources } from "./resource.js";

/** The models as one kind of caller sees them: everything else is hidden. */
export interface View {
  readonly models: Models;
  readonly resources: Resources;
  /** The models that relations may lead to; `undefined` for all. */
  readonly viewable: ReadonlySet<string> | undefined;
}

/** The input of a caller's view. */
export interface ViewKey {
  /** The role names in field rules. */
  readonly roles: readonly string[];
  readonly isSuperUser: boolean;
  /** `undefined` for all models. */
  readonly viewable: ReadonlySet<string> | undefined;
}

/** Returns a caller's view; callers with the same access share one. */
export interface Views {
  /** The view of a caller with full access. */
  readonly complete: View;
  of(key: ViewKey): View;
}

/** More kinds of callers than an application has; the least recently used ones are computed again. */
const maxViews = 200;

/**
 * Creates the views of a service: the unrestricted one at startup, the others on demand.
 *
 * @param viewable the models that some caller can read; `undefined` for all
 */
export function makeViews(
  models: Models,
  paths: ReadonlyMap<string, string>,
  settings: ResourceSettings,
  viewable?: ReadonlySet<string>,
): Views {
  const complete: View = Object.freeze({
    models,
    resources: makeResources(models, paths, settings),
    viewable,
  });
  const made = new Map<string, View>();
  return {
    complete,
    of(key) {
      const { viewable, isSuperUser, roles } = key;
      if (isSuperUser) return complete;
      const text = JSON.stringify([roles, viewable === undefined ? null : [...viewable]]);
      const view = made.get(text) ?? makeView(key, models, paths, settings);
      made.delete(text);
      made.set(text, view);
      for (const oldest of made.keys()) {
        if (made.size <= maxViews) break;
        made.delete(oldest);
      }
      return view;
    },
  };
}

function makeView(
  { roles, viewable }: ViewKey,
  models: Models,
  paths: ReadonlyMap<string, string>,
  settings: ResourceSettings,
): View {
  const seen = new Map(
    Object.entries(settings.models).flatMap(([name, { auth }]) => {
      const { fields } = auth ?? {};
      return fields === undefined ? [] : [[name, new Set(["*", ...roles].flatMap((role) => listOf(fields, role)))]];
    }),
  );
  const viewed = hideFields(models, (model, field) => {
    if (seen.get(model.name)?.has(field.name) === false && !isDerived(field, model, seen, settings)) return true;
    return field.kind === "relation" && viewable?.has(field.type) === false;
  });
  return Object.freeze({ models: viewed, resources: makeResources(viewed, paths, settings), viewable });
}

/**
 * Whether a computed field without a rule of its own needs only what the caller sees, and fields that are hidden from
 * everyone (contract C102).
 */
function isDerived(
  field: Field,
  { name, fieldsByName }: Model,
  seen: ReadonlyMap<string, ReadonlySet<string>>,
  { models }: ResourceSettings,
): boolean {
  if (field.kind !== "computed") return false;
  if (Object.values(models[name]?.auth?.fields ?? {}).some((names) => names.includes(field.name))) return false;
  return field.needs.every((need) => {
    const needed = fieldsByName.get(need);
    return seen.get(name)?.has(need) === true || (needed !== undefined && isHidden(needed));
  });
}

const listOf = (fields: Readonly<Record<string, readonly string[]>>, role: string): readonly string[] =>
  Object.hasOwn(fields, role) ? (fields[role] ?? []) : [];
