import { isObject } from "@servicekit/core/internal";
import type { Resource } from "../resource.js";
import type { Select, Shown } from "../shown.js";
import { checkWords, optionsParameter, type PrismaOptionsContext } from "./context.js";
import { type ListArguments, readListArguments } from "./read-list-arguments.js";
import { readOptionsSelect } from "./read-select.js";

/** Prisma's options, validated against what the caller may use. */
export interface PrismaOptions extends ListArguments {
  readonly select: Select;
}

const treeWords = ["select", "include", "omit"];
const listWords = ["where", "orderBy", "take", "skip", "cursor", "distinct"];

/**
 * Reads `prismaQueryOptions` (contract C22): Prisma's own options as JSON, but only with fields, relations and
 * operators that the caller may use otherwise, and within the same limits. Unknown options are rejected, so that no ORM
 * option passes unchecked.
 *
 * @param base the selection without `select`
 */
export function readPrismaOptions(
  text: string,
  base: Select,
  shown: Shown,
  resource: Resource,
  isList: boolean,
  context: PrismaOptionsContext,
): PrismaOptions | undefined {
  const input = parse(text);
  if (!isObject(input)) {
    context.issues.add(optionsParameter, "InvalidValue", `${optionsParameter} must be a JSON object.`);
    return undefined;
  }
  const words = isList ? [...treeWords, ...listWords] : treeWords;
  if (!checkWords(input, words, [], context)) return undefined;
  const select = readOptionsSelect(input, { base, shown, resource, path: [], depth: 0, weight: 1 }, context);
  return { ...readListArguments(input, resource, { path: [], max: resource.page.max }, context), select };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
