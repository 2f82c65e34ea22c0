import type { RequestHandler } from "express";
import { type RouterName, readRouterName } from "./names.js";
import type { PlainRouter, ServiceConfig } from "./service-config.js";

/** The omitted and the replaced built-in routers. */
export interface RouterChoices {
  readonly disabled: ReadonlySet<RouterName>;
  readonly replaced: ReadonlyMap<RouterName, RequestHandler | PlainRouter>;
}

/**
 * Reads the names of `routers.disable` and `routers.replace`; they are valid, because the configuration has been
 * validated.
 */
export function readRouterChoices({
  disable = [],
  replace = {},
}: NonNullable<ServiceConfig["routers"]>): RouterChoices {
  return {
    disabled: new Set(disable.flatMap((name) => readRouterName(name) ?? [])),
    replaced: new Map(
      Object.entries(replace).flatMap(([name, router]) => {
        const known = readRouterName(name);
        return known === undefined ? [] : [[known, router] as const];
      }),
    ),
  };
}

interface Routers {
  readonly welcomeRoute?: unknown;
  readonly disable?: readonly string[] | undefined;
  readonly replace?: Readonly<Record<string, unknown>> | undefined;
}

interface Contradiction {
  readonly path: readonly string[];
  readonly message: string;
}

/** A router with contradictory settings, such as omitted and replaced. */
export function routerContradictions({ welcomeRoute, disable = [], replace = {} }: Routers): Contradiction[] {
  const sources = new Map(disable.map((name) => [readRouterName(name) ?? name, "disable"]));
  const issues: Contradiction[] = [];
  const addSource = (name: string, path: readonly string[]): void => {
    const other = sources.get(name);
    if (other !== undefined)
      issues.push({ path, message: `routers.${other} also configures ${name}. Remove one of them.` });
    sources.set(name, path.join("."));
  };
  if (welcomeRoute === false) sources.set("welcome-endpoint", "welcomeRoute");
  else if (welcomeRoute !== undefined) addSource("welcome-endpoint", ["welcomeRoute"]);
  for (const name of Object.keys(replace)) addSource(readRouterName(name) ?? name, ["replace", name]);
  return issues;
}
