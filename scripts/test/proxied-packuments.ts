import type { Manifest } from "./packed-packages.js";

/** The document of a package in an npm registry. */
export interface Packument {
  readonly name: string;
  readonly "dist-tags": Readonly<Record<string, string>>;
  readonly versions: Readonly<Record<string, Partial<Manifest>>>;
  readonly time?: Readonly<Record<string, string>>;
}

/**
 * Reads packuments from a registry. A mirror may lack a program for another platform, which npm and pnpm ignore, but
 * Yarn does not: such a version is added, as a copy of the latest one or as a program for Windows. The platforms on which
 * the tests run never download it.
 *
 * @returns a function from the name of a package to its packument, or `undefined` if it does not exist
 */
export function proxiedPackuments(registry: string): (name: string) => Promise<Packument | undefined> {
  const optional = new Map<string, Set<string>>();
  return async (name) => {
    const response = await fetch(new URL(name.replace("/", "%2f"), registry));
    if (!response.ok) return programsForWindows(name, registry, optional.get(name));
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

/** A package with a version of each range, or `undefined` if no other package has it as an optional dependency. */
function programsForWindows(
  name: string,
  registry: string,
  ranges: ReadonlySet<string> = new Set(),
): Packument | undefined {
  const numbers = [...ranges].flatMap((range) => /\d+\.\d+\.\d+\S*/.exec(range)?.[0] ?? []);
  const latest = numbers.at(-1);
  if (latest === undefined) return undefined;
  const long = new Date(0).toISOString();
  // Yarn 1 rejects a version without an archive. It cannot download this one, and continues.
  const dist = { tarball: new URL(`${name}/-/none.tgz`, registry).href, shasum: "0".repeat(40) };
  return {
    name,
    "dist-tags": { latest },
    versions: Object.fromEntries(numbers.map((version) => [version, { name, version, os: ["win32"], dist }])),
    time: Object.fromEntries(numbers.map((version) => [version, long])),
  };
}
