import type { RequestHandler } from "express";
import { type RouterName, readRouterName } from "./names.js";
import type { PlainRouter, ServiceConfig } from "./service-config.js";

/** Which built-in routers are left out and which are replaced. */
export interface RouterChoices {
  readonly disabled: ReadonlySet<RouterName>;
  readonly replaced: ReadonlyMap<RouterName, RequestHandler | PlainRouter>;
}

/** Reads the names of `routers.disable` and `routers.replace`; they are known, for the configuration is checked. */
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

/** A router that is told two things, such as to be left out and to be replaced. */
export function routerContradictions({ welcomeRoute, disable = [], replace = {} }: Routers): Contradiction[] {
  const told = new Map(disable.map((name) => [readRouterName(name) ?? name, "disable"]));
  const faults: Contradiction[] = [];
  const tell = (name: string, path: readonly string[]): void => {
    const other = told.get(name);
    if (other !== undefined) faults.push({ path, message: `routers.${other} says something else of ${name}.` });
    told.set(name, path.join("."));
  };
  if (welcomeRoute === false) told.set("welcome-endpoint", "welcomeRoute");
  else if (welcomeRoute !== undefined) tell("welcome-endpoint", ["welcomeRoute"]);
  for (const name of Object.keys(replace)) tell(readRouterName(name) ?? name, ["replace", name]);
  return faults;
}
