import type { Models } from "@servicekit/prisma";
import { markHidden } from "./mark-hidden.js";
import { makeResources, type Resources } from "./resource.js";
import type { ResourceSettings } from "./resource-config.js";

/** The models as one kind of caller sees them: what is outside is hidden in the marks of their fields. */
export interface View {
  readonly models: Models;
  readonly resources: Resources;
  /** The models that relations may lead to; `undefined` for all. */
  readonly viewable: ReadonlySet<string> | undefined;
}

/** What decides over the view of a caller. */
export interface ViewKey {
  /** The names of roles that some rule of fields names. */
  readonly roles: readonly string[];
  readonly isSuperUser: boolean;
  /** `undefined` for all models. */
  readonly viewable: ReadonlySet<string> | undefined;
}

/** Gives each caller a view; callers with the same rights share one. */
export interface Views {
  /** The view of who may see everything that is not hidden from all. */
  readonly whole: View;
  of(key: ViewKey): View;
}

/** More kinds of callers than an application has; the ones that came least recently are made again. */
const mostViews = 200;

/**
 * Makes the views of a service: whole at start, the others when a caller needs one.
 *
 * @param viewable the models that anybody can read; `undefined` for all
 */
export function makeViews(
  models: Models,
  paths: ReadonlyMap<string, string>,
  settings: ResourceSettings,
  viewable?: ReadonlySet<string>,
): Views {
  const whole: View = Object.freeze({
    models,
    resources: makeResources(models, paths, settings),
    viewable,
  });
  const made = new Map<string, View>();
  return {
    whole,
    of(key) {
      const { viewable, isSuperUser, roles } = key;
      if (isSuperUser) return whole;
      const text = JSON.stringify([roles, viewable === undefined ? null : [...viewable]]);
      const view = made.get(text) ?? makeView(key, models, paths, settings);
      made.delete(text);
      made.set(text, view);
      for (const oldest of made.keys()) {
        if (made.size <= mostViews) break;
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
  const viewed = markHidden(models, (model, field) => {
    if (seen.get(model.name)?.has(field.name) === false) return true;
    return field.kind === "relation" && viewable?.has(field.type) === false;
  });
  return Object.freeze({ models: viewed, resources: makeResources(viewed, paths, settings), viewable });
}

const listOf = (fields: Readonly<Record<string, readonly string[]>>, role: string): readonly string[] =>
  Object.hasOwn(fields, role) ? (fields[role] ?? []) : [];
