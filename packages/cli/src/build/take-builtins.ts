import { builtinModules } from "node:module";
import type { Plugin } from "rolldown";

const mark = "\0servicekit-builtin:";
const known: ReadonlySet<string> = new Set(builtinModules);

/**
 * Loads Node's own modules with `process.getBuiltinModule` in a bundle. An `import` creates a module with all names of
 * each, which loads lazy parts of Node; here only the used names are read.
 */
export function takeBuiltins(): Plugin {
  return {
    name: "servicekit-take-builtins",
    resolveId(id, importer, { kind }) {
      // The helpers of the bundler are not affected.
      if (importer?.startsWith("\0") !== false) return null;
      const name = id.replace(/^node:/, "");
      return kind === "import-statement" && known.has(name) ? `${mark}${name}` : null;
    },
    load(id) {
      if (!id.startsWith(mark)) return null;
      const name = id.slice(mark.length);
      // The default export is the module itself.
      const names = Object.keys(process.getBuiltinModule(`node:${name}`) ?? {}).filter(
        (key) => key !== "default" && /^[a-z_$][\w$]*$/i.test(key),
      );
      const exported = names.map((key) => `  ${key}_ as ${key},\n`);
      const consts = names.map((key) => `const ${key}_ = /* @__PURE__ */ read("${key}");\n`);
      const code = `const builtin = process.getBuiltinModule("node:${name}");
const read = (name) => builtin[name];
${consts.join("")}export {
  builtin as default,
${exported.join("")}};
`;
      return { code, moduleSideEffects: false };
    },
  };
}
