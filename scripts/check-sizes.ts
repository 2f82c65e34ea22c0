import fs from "node:fs";
import path from "node:path";
import { foldersOf } from "./source-imports.js";

/** How many lines of source a package may have: it is cut before nobody knows the whole of it. */
const most = 5_600;

/** The packages below `root` that have grown too large, each with its lines. Tests and generated files do not count. */
export function checkSizes(root: string): string[] {
  return foldersOf(root).flatMap((folder) => {
    const lines = linesIn(path.join(folder, "src"));
    return lines > most ? [`${path.relative(root, folder)}: ${lines} lines of source, more than ${most}`] : [];
  });
}

function linesIn(folder: string): number {
  if (!fs.existsSync(folder)) return 0;
  const sources = fs
    .readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => /\.ts$/.test(file) && !/\.test(-d)?\.ts$|(^|\/)generated\//.test(file));
  const texts = sources.map((file) => fs.readFileSync(path.join(folder, file), "utf8"));
  return texts.reduce((sum, text) => sum + text.split("\n").length - 1, 0);
}
