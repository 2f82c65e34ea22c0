// @ts-check
// Plain JavaScript, because Node loads it before TypeScript can be loaded. It runs in Node's loader thread.
import { readFile, stat } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { transform } from "oxc-transform";

const typescriptFile = /\.m?ts$/;
const runtime = "@oxc-project/runtime/";

/** @type {import("node:module").ResolveHook} */
export async function resolve(specifier, context, nextResolve) {
  // The helpers of decorators come from here, not from the user's packages.
  if (specifier.startsWith(runtime)) return nextResolve(specifier, { ...context, parentURL: import.meta.url });
  if (/^\.{1,2}\//.test(specifier) && isTypescript(context.parentURL)) {
    const found = await findTypescript(new URL(specifier, context.parentURL));
    if (found !== undefined) return nextResolve(found, context);
  }
  try {
    return await nextResolve(specifier, context);
  } catch (error) {
    // An `imports` entry or a full path that ends in .js, of which only the .ts file exists.
    const missing = error instanceof Error && "url" in error && typeof error.url === "string" ? error.url : undefined;
    const found = missing?.startsWith("file:") ? await findTypescript(new URL(missing)) : undefined;
    if (found === undefined) throw error;
    return nextResolve(found, context);
  }
}

/** @type {import("node:module").LoadHook} */
export async function load(url, context, nextLoad) {
  if (!isTypescript(url)) return nextLoad(url, context);
  const file = fileURLToPath(url);
  const text = await readFile(file, "utf8");
  const { code, map, errors } = await transform(file, text, {
    lang: "ts",
    sourceType: "module",
    target: "es2023",
    sourcemap: true,
    // Node does not support decorators yet, so TypeScript's are the only ones.
    decorator: { legacy: true, emitDecoratorMetadata: true },
  });
  const [issue] = errors;
  if (issue !== undefined) {
    const { line, column } = placeOf(text, issue.labels[0]?.start ?? 0);
    const error = new SyntaxError(issue.message);
    // The stack is passed from this thread to the main one; Node writes its own syntax errors in this form.
    error.stack = `${url}:${line}:${column}\n${text.split("\n")[line - 1]}\n\nSyntaxError: ${issue.message}`;
    throw error;
  }
  const inline = Buffer.from(JSON.stringify({ ...map, sources: [url] })).toString("base64");
  const source = `${code}\n//# sourceMappingURL=data:application/json;base64,${inline}\n`;
  return { format: "module", source, shortCircuit: true };
}

/** @param {string | undefined} url */
function isTypescript(url) {
  if (!url?.startsWith("file:")) return false;
  const { pathname } = new URL(url);
  return typescriptFile.test(pathname) && !pathname.includes("/node_modules/");
}

/**
 * The TypeScript file of an import: `./a.js` is `./a.ts`, `./a` is `./a.ts` or `./a/index.ts`.
 *
 * @param {URL} url
 */
async function findTypescript(url) {
  const { pathname } = url;
  const candidates = /\.m?js$/.test(pathname)
    ? [pathname.replace(/js$/, "ts")]
    : /\.(c?[jt]s|mts|json|node|wasm)$/.test(pathname)
      ? []
      : [`${pathname}.ts`, `${pathname.replace(/\/$/, "")}/index.ts`];
  for (const candidate of candidates) {
    const target = new URL(url);
    target.pathname = candidate;
    const found = await stat(target).catch(() => undefined);
    if (found?.isFile()) return target.href;
  }
  return undefined;
}

/**
 * @param {string} text
 * @param {number} offset
 */
function placeOf(text, offset) {
  const before = text.slice(0, offset).split("\n");
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}
