import type { Manifest } from "./packed-packages.js";

/** The document of a package in an npm registry. */
export interface Packument {
  readonly name: string;
  readonly "dist-tags": Readonly<Record<string, string>>;
  readonly versions: Readonly<Record<string, Manifest>>;
  readonly time?: Readonly<Record<string, string>>;
}

/**
 * Reads packuments from a registry. A mirror may lack a program for another platform, which npm and pnpm ignore, but
 * Yarn does not: such a version is added as a copy of the latest one, which this platform never downloads.
 *
 * @returns a function from the name of a package to its packument, or `undefined` if it does not exist
 */
export function proxiedPackuments(registry: string): (name: string) => Promise<Packument | undefined> {
  const optional = new Map<string, Set<string>>();
  return async (name) => {
    const response = await fetch(new URL(name.replace("/", "%2f"), registry));
    if (!response.ok) return undefined;
    const packument = (await response.json()) as Packument;
    const { versions, time = {}, "dist-tags": tags } = packument;
    for (const { optionalDependencies = {} } of Object.values(versions)) {
      for (const [one, version] of Object.entries(optionalDependencies)) {
        optional.set(one, (optional.get(one) ?? new Set()).add(version));
      }
    }
    const latest = versions[tags.latest ?? ""];
    const missing = [...(optional.get(name) ?? [])].filter((version) => /^\d/.test(version) && !versions[version]);
    const added = latest === undefined ? [] : missing.map((version) => [version, { ...latest, version }] as const);
    const times = added.map(([version]) => [version, time[tags.latest ?? ""] ?? ""] as const);
    return {
      ...packument,
      versions: { ...Object.fromEntries(added), ...versions },
      time: { ...Object.fromEntries(times), ...time },
    };
  };
}
