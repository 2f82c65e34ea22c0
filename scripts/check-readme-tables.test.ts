import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";

/*
 * The README of each package against its manifest and its exports: every dependency has a row with its kind, every
 * exported value has its name in the text, and rows of types name exported types.
 */
const packages = path.join(import.meta.dirname, "..", "packages");

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
  readonly exports: Readonly<Record<string, string | { readonly "servicekit-source"?: string }>>;
}

/** Entries whose values users do not need one by one. */
const unlisted: ReadonlySet<string> = new Set(["./internal", "./settings"]);

interface Exported {
  readonly values: readonly string[];
  readonly types: readonly string[];
}

/** The names that an entry exports, by its text: entries consist of declarations and lists of names. */
function exportsOf(file: string): Exported {
  const text = fs.readFileSync(file, "utf8").replace(/\/\*[\s\S]*?\*\//g, "");
  const listed = [...text.matchAll(/^export (type )?\{([^}]*)\}/gm)].flatMap(([, ofTypes, names = ""]) =>
    names.split(",").flatMap((part) => {
      const [, type, name] = /^(type )?(?:\w+ as )?(\w+)$/.exec(part.trim()) ?? [];
      return name === undefined ? [] : [{ name, isType: (ofTypes ?? type) !== undefined }];
    }),
  );
  const declared = [...text.matchAll(/^export (?:async )?(function|const|class|interface|type) (\w+)/gm)].map(
    ([, kind = "", name = ""]) => ({ name, isType: kind === "interface" || kind === "type" }),
  );
  const all = [...listed, ...declared];
  const namesOf = (isType: boolean) => all.filter((one) => one.isType === isType).map(({ name }) => name);
  return { values: namesOf(false), types: namesOf(true) };
}

/** The packages in the first column of the table of dependencies, each with the words in parentheses behind it. */
function listedPackages(readme: string): ReadonlyMap<string, string> {
  const [, section = ""] = readme.split("\n## Dependencies\n");
  const found = new Map<string, string>();
  for (const [, cell = ""] of section.matchAll(/^\| (.*?) \|/gm)) {
    let open: string[] = [];
    for (const [, name, kind] of cell.matchAll(/`([^`]+)`|\(([^)]*)\)/g)) {
      if (name !== undefined) open.push(name);
      else {
        for (const one of open) found.set(one, (kind ?? "").replace(/peers\b/, "peer"));
        open = [];
      }
    }
    for (const one of open) found.set(one, "");
  }
  return found;
}

describe.each(fs.readdirSync(packages))("the README of %s", (folder) => {
  const at = path.join(packages, folder);
  const readme = fs.readFileSync(path.join(at, "README.md"), "utf8");
  const manifest = JSON.parse(fs.readFileSync(path.join(at, "package.json"), "utf8")) as Manifest;
  const entries = Object.entries(manifest.exports).flatMap(([name, target]) => {
    const source = typeof target === "string" ? undefined : target["servicekit-source"];
    return source === undefined ? [] : [{ name, ...exportsOf(path.join(at, source)) }];
  });

  it("lists every dependency with its kind, and no other package", () => {
    const { dependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} } = manifest;
    const expected = new Map([
      ...Object.keys(dependencies).map((name) => [name, ""] as const),
      ...Object.keys(peerDependencies).map(
        (name) => [name, peerDependenciesMeta[name]?.optional === true ? "optional peer" : "peer"] as const,
      ),
    ]);
    const listed = listedPackages(readme);
    // A row of "other `@servicekit` packages".
    const isUnlisted = (name: string): boolean =>
      listed.has("@servicekit") && name.startsWith("@servicekit/") && !listed.has(name);
    const given = [...listed].filter(([name, kind]) => name !== "@servicekit" && !kind.startsWith("peer of "));
    expect(Object.fromEntries(given)).toEqual(Object.fromEntries([...expected].filter(([name]) => !isUnlisted(name))));
  });

  it("names every exported value", () => {
    const values = entries.filter(({ name }) => !unlisted.has(name)).flatMap((entry) => entry.values);
    expect(values.filter((name) => !new RegExp(`\`[^\`\n]*\\b${name}\\b`).test(readme))).toEqual([]);
  });

  it("names only exported types in rows of types", () => {
    const types = new Set(entries.flatMap((entry) => entry.types));
    const named = [...readme.matchAll(/^\| types? (`.*?) \|/gm)].flatMap(([, cell = ""]) =>
      [...cell.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name),
    );
    expect(named.filter((name) => !types.has(name))).toEqual([]);
  });
});
