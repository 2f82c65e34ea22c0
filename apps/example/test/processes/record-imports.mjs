// For `node --import`: writes every file that the process loads to the file in RECORD_IMPORTS.
import { appendFileSync } from "node:fs";
import { createRequire, register } from "node:module";

const file = process.env.RECORD_IMPORTS;
register("./record-imports-hooks.mjs", import.meta.url, { data: file });
const require = createRequire(import.meta.url);
process.on("exit", () => appendFileSync(file, `${Object.keys(require.cache).join("\n")}\n`));
