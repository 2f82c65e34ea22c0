import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";

const root = path.join(import.meta.dirname, "..");
const text = fs.readFileSync(path.join(root, "docs", "contract.md"), "utf8");
const rows = [...text.matchAll(/^\| (C\d+) \| (.*) \| (.*) \|$/gm)].map(([, id = "", built = "", proved = ""]) => ({
  id,
  built: filesIn(built),
  proved: filesIn(proved),
}));
/** What the document itself says is not there. */
const unbuilt = [...(/^Not built yet: (.*)$/m.exec(text)?.[1] ?? "").matchAll(/C\d+/g)].map(([id]) => id);

/** The paths of a cell, `{a,b}` written out, below the root. */
function filesIn(cell: string): string[] {
  return [...cell.matchAll(/`([^`]*\/[^`]*)`/g)].flatMap(([, given = ""]) => {
    const [, before = "", names, after = ""] = /^(.*)\{(.*)\}(.*)$/.exec(given) ?? [];
    const all = names === undefined ? [given] : names.split(",").map((name) => before + name + after);
    return all.map((file) => (/^(apps|scripts)\//.test(file) ? file : `packages/${file}`));
  });
}

describe("docs/contract.md", () => {
  it("has a place for each of its promises, once and in order", () => {
    const promised = [...text.matchAll(/^- \*\*(C\d+)\*\* /gm)].map(([, id = ""]) => id);
    const known = [...new Set(promised)].sort((one, other) => Number(one.slice(1)) - Number(other.slice(1)));
    // A pattern that matches nothing would make the next line true.
    expect(known.length).toBeGreaterThanOrEqual(78);
    expect(rows.map(({ id }) => id)).toEqual(known);
  });

  it.each(rows)("$id is built in files that are there, and proved in tests that name it", ({ id, built, proved }) => {
    if (unbuilt.includes(id)) return expect([...built, ...proved]).toEqual([]);
    expect(proved.length).toBeGreaterThan(0);
    expect([...built, ...proved].filter((file) => !fs.existsSync(path.join(root, file)))).toEqual([]);
    const silent = proved.filter(
      (file) => !new RegExp(`\\b${id}\\b`).test(fs.readFileSync(path.join(root, file), "utf8")),
    );
    expect(silent).toEqual([]);
  });
});
