import fs from "node:fs";
import path from "node:path";
import { commandError } from "../command-error.js";
import { type Ejected, namesOf, umbrella } from "./ejected.js";

/** A file to write. */
export interface Change {
  /** Relative to the root. */
  readonly file: string;
  readonly text: string;
}

/**
 * Disables the generated route in the module of the model.
 *
 * @param keepsReachable whether no generated read of the model remains, which would hide relations to it
 * @throws {CommandError} if the form of the file is not supported
 */
export function closeOperation(root: string, ejected: Ejected, keepsReachable: boolean): Change {
  const { module } = namesOf(ejected);
  const { operation, model } = ejected;
  const file = path.join(root, module);
  const reachable = keepsReachable ? "  reachable: true, // relations include it as before\n" : "";
  if (!fs.existsSync(file)) {
    const text = `import type { ModelConfig } from "${umbrella}";

/** Configuration of ${model.name}. */
export default {
  operations: { ${operation}: false }, // implemented in src/routes
${reachable}} satisfies ModelConfig;
`;
    return { file: module, text };
  }
  const text = fs.readFileSync(file, "utf8");
  const within = /^( *operations: \{)/m;
  const begin = /^(export default (?:defineModel\()?\{)\n/m;
  if (within.test(text)) {
    const changed = text.replace(within, `$1 ${operation}: false,`);
    return { file: module, text: reachable === "" ? changed : changed.replace(begin, `$1\n${reachable}`) };
  }
  if (!begin.test(text))
    throw commandError(
      module,
      `Add operations: { ${operation}: false } there first: the form of the file is not supported.`,
    );
  return {
    file: module,
    text: text.replace(begin, `$1\n  operations: { ${operation}: false }, // implemented in src/routes\n${reachable}`),
  };
}

/** Mounts the router in `src/app.ts` or `src/main.ts`; `undefined` if neither has a list `use`. */
export function mountRouter(root: string, ejected: Ejected): Change | undefined {
  const { router, route } = namesOf(ejected);
  for (const file of ["src/app.ts", "src/main.ts"]) {
    const place = path.join(root, file);
    if (!fs.existsSync(place)) continue;
    const text = fs.readFileSync(place, "utf8");
    const imports = [...text.matchAll(/^import .*;\n/gm)].at(-1);
    if (!/\buse: \[/.test(text) || imports === undefined) continue;
    const at = imports.index + imports[0].length;
    const line = `import { ${router} } from "./${path.relative("src", route).replaceAll(path.sep, "/").replace(/\.ts$/, ".js")}";\n`;
    return { file, text: text.slice(0, at) + line + mounted(text.slice(at), router) };
  }
  return undefined;
}

const mounted = (text: string, router: string): string =>
  text.replace(/\buse: \[(\s*)(\]?)/, (_all, blank: string, end: string) =>
    end === "]" ? `use: [${router}]` : `use: [${router}, ${blank}`.replace(/, (?=\n)/, ","),
  );
