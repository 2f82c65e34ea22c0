import path from "node:path";
import { foldersOf, sourceImports } from "./source-imports.js";

/**
 * Finds the cycles of files that import values or types of each other, in each package below `root`, because such files
 * can only be understood and moved together. Generated files are excluded.
 */
export function findCircles(root: string): string[] {
  return foldersOf(root).flatMap((folder) => {
    const edges = new Map<string, Set<string>>();
    for (const { file, target, isTest } of sourceImports(folder)) {
      if (target === undefined || isTest || isGenerated(file)) continue;
      edges.set(file, (edges.get(file) ?? new Set()).add(target));
    }
    return circlesOf(edges).map((circle) => circle.map((file) => path.relative(root, file)).join(" → "));
  });
}

const isGenerated = (file: string): boolean => /[\\/]generated[\\/]/.test(file);

/** Each file in a cycle is reported once, with its cycle. */
function circlesOf(edges: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const done = new Set<string>();
  const circles: string[][] = [];
  const visit = (file: string, way: readonly string[]): void => {
    const at = way.indexOf(file);
    if (at !== -1) circles.push([...way.slice(at), file]);
    if (at !== -1 || done.has(file)) return;
    for (const next of edges.get(file) ?? []) visit(next, [...way, file]);
    done.add(file);
  };
  for (const file of edges.keys()) visit(file, []);
  return circles;
}
