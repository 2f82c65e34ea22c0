import fs from "node:fs";
import path from "node:path";

/** One import of a file. */
export interface SourceImport {
  readonly file: string;
  readonly specifier: string;
  /** The target file of a relative import. */
  readonly target: string | undefined;
  /** Whether it is removed at compile time. */
  readonly isTypeOnly: boolean;
  readonly isTest: boolean;
}

/** The folders of all packages and applications of the tree at `root`. */
export function foldersOf(root: string): string[] {
  return ["packages", "apps"].flatMap((group) => {
    const folder = path.join(root, group);
    if (!fs.existsSync(folder)) return [];
    return fs.readdirSync(folder).flatMap((name) => {
      const at = path.join(folder, name);
      return fs.existsSync(path.join(at, "package.json")) ? [at] : [];
    });
  });
}

/** Every import of every file of a package, including types. */
export function sourceImports(folder: string): SourceImport[] {
  return sourcesIn(folder).flatMap((file) => {
    const isTest = /\.test(-d)?\.ts$/.test(file) || path.relative(folder, file).startsWith("test");
    return importsOf(fs.readFileSync(file, "utf8")).map(({ specifier, isTypeOnly }) => {
      const target = specifier.startsWith(".")
        ? path.join(path.dirname(file), specifier).replace(/\.(m?)js$/, ".$1ts")
        : undefined;
      return { file, specifier, target, isTypeOnly, isTest };
    });
  });
}

function sourcesIn(folder: string): string[] {
  return ["src", "test", "bin"].flatMap((part) => {
    const at = path.join(folder, part);
    if (!fs.existsSync(at)) return [];
    const files = fs.readdirSync(at, { recursive: true, encoding: "utf8" });
    return files.filter((file) => /\.(ts|mts|js|mjs)$/.test(file)).map((file) => path.join(at, file));
  });
}

const statement = /(?:^|\n)\s*(?:import|export)\s+(type\s+)?([\w*\s{},$]+?)\s+from\s*["']([^"'\n]+)["']/g;
const bare = /(?:\bimport\s*\(?\s*|\bfrom\s*)["']([^"'\n]+)["']/g;

function importsOf(source: string): { readonly specifier: string; readonly isTypeOnly: boolean }[] {
  const values = new Map<string, boolean>();
  for (const [, specifier = ""] of source.matchAll(bare)) values.set(specifier, false);
  const named = [...source.matchAll(statement)].map(([, type, names = "", specifier = ""]) => {
    const inner = /\{([^}]*)\}/
      .exec(names)?.[1]
      ?.split(",")
      .map((name) => name.trim())
      .filter(Boolean);
    const onlyTypes =
      inner !== undefined && names.trim().startsWith("{") && inner.every((name) => name.startsWith("type "));
    return { specifier, isTypeOnly: type !== undefined || onlyTypes };
  });
  const found = new Map<string, boolean>();
  for (const { specifier, isTypeOnly } of named) found.set(specifier, isTypeOnly && (found.get(specifier) ?? true));
  // An import outside a complete statement, such as `import("…")`, counts as a value.
  return [...values.keys()].map((specifier) => ({ specifier, isTypeOnly: found.get(specifier) ?? false }));
}
