import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";

const root = path.join(import.meta.dirname, "..");
const text = fs.readFileSync(path.join(root, "docs", "contract.md"), "utf8");
const rows = [...text.matchAll(/^\| (C\d+) \| (.*) \| (.*) \|$/gm)].map(([, id = "", built = "", verified = ""]) => ({
  id,
  built: filesIn(built),
  verified: filesIn(verified),
}));
/** The entries that the document lists as not implemented. */
const unbuilt = [...(/^Not built yet: (.*)$/m.exec(text)?.[1] ?? "").matchAll(/C\d+/g)].map(([id]) => id);

/** The paths of a cell, with `{a,b}` expanded, relative to the root. */
function filesIn(cell: string): string[] {
  return [...cell.matchAll(/`([^`]*\/[^`]*)`/g)].flatMap(([, given = ""]) => {
    const [, before = "", names, after = ""] = /^(.*)\{(.*)\}(.*)$/.exec(given) ?? [];
    const all = names === undefined ? [given] : names.split(",").map((name) => before + name + after);
    return all.map((file) => (/^(apps|scripts)\//.test(file) ? file : `packages/${file}`));
  });
}

describe("docs/contract.md", () => {
  it("has a place for each of its entries, once and in order", () => {
    const promised = [...text.matchAll(/^- \*\*(C\d+)\*\* /gm)].map(([, id = ""]) => id);
    const known = [...new Set(promised)].sort((one, other) => Number(one.slice(1)) - Number(other.slice(1)));
    // A pattern that matches nothing would make the next check pass.
    expect(known.length).toBeGreaterThanOrEqual(78);
    expect(rows.map(({ id }) => id)).toEqual(known);
  });

  it.each(rows)("$id has existing source files, and tests that name it", ({ id, built, verified }) => {
    if (unbuilt.includes(id)) return expect([...built, ...verified]).toEqual([]);
    expect(verified.length).toBeGreaterThan(0);
    expect([...built, ...verified].filter((file) => !fs.existsSync(path.join(root, file)))).toEqual([]);
    const silent = verified.filter(
      (file) => !new RegExp(`\\b${id}\\b`).test(fs.readFileSync(path.join(root, file), "utf8")),
    );
    expect(silent).toEqual([]);
  });
});
