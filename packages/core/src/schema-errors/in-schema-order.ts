import type { z } from "zod";
import { type Schema, unfold } from "./schema-at.js";

/** The part of an issue that determines its position. */
interface Placed {
  readonly code?: string;
  readonly path?: readonly PropertyKey[] | undefined;
}

/**
 * Sorts issues in the order of the schema: keys as declared, items by index, unknown keys after the known ones. Zod
 * itself reports asynchronous parts last, in the order in which their promises settle.
 */
export function inSchemaOrder<Issue extends Placed>(issues: readonly Issue[], schema: Schema): readonly Issue[] {
  if (issues.length < 2) return issues;
  const ranked = issues.map((issue) => ({ issue, rank: rankOf(issue, schema) }));
  return ranked.sort((a, b) => compareRanks(a.rank, b.rank)).map(({ issue }) => issue);
}

/** A position for each segment of the path, as far as the schema can be followed. */
function rankOf({ code, path = [] }: Placed, schema: Schema): readonly number[] {
  const rank: number[] = [];
  let at: Schema | undefined = schema;
  for (const segment of path) {
    const kinds: readonly z.core.$ZodTypes[] = at === undefined ? [] : unfold(at);
    const shape = kinds.flatMap(({ _zod: { def } }) => (def.type === "object" ? [def.shape] : []))[0];
    if (shape !== undefined) {
      const index = Object.keys(shape).indexOf(String(segment));
      rank.push(index < 0 ? Number.MAX_SAFE_INTEGER : index);
      at = shape[String(segment)];
    } else if (typeof segment === "number") {
      rank.push(segment);
      at = kinds.flatMap(({ _zod: { def } }) => (def.type === "array" ? [def.element] : []))[0];
    } else return rank;
  }
  if (code === "unrecognized_keys") rank.push(Number.MAX_SAFE_INTEGER);
  return rank;
}

function compareRanks(a: readonly number[], b: readonly number[]): number {
  for (let index = 0; index < a.length && index < b.length; index++) {
    const difference = (a[index] ?? 0) - (b[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
