import { createHash } from "node:crypto";
import path from "node:path";
import { type ESTree, parseSync } from "vite";

/** A small change of a source file that a test should notice. */
export interface Mutant {
  /** The path of the source file. */
  readonly file: string;
  /** The range of the changed expression. */
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
  /** Counted from 1. */
  readonly line: number;
  /** The changed line, before and after, without indentation. */
  readonly before: string;
  readonly after: string;
}

const swapped: Readonly<Record<string, string>> = {
  "===": "!==",
  "!==": "===",
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
  "+": "-",
  "-": "+",
  "*": "/",
  "/": "*",
  "&&": "||",
  "||": "&&",
  "??": "&&",
};
/** The nodes of TypeScript that contain an expression. All others contain types. */
const wrappers = new Set(["TSAsExpression", "TSSatisfiesExpression", "TSNonNullExpression"]);

/**
 * Lists the mutants of a file: exchanged operators, flipped booleans, removed negations, and conditions that are constant.
 *
 * @param file the path of the file, which is only recorded
 * @param code the text of the file
 * @throws SyntaxError when the file cannot be parsed
 */
export function findMutants(file: string, code: string): Mutant[] {
  const { program, errors } = parseSync(file, code);
  if (errors.length > 0) throw new SyntaxError(`${file}: ${errors[0]?.message}`);
  const mutants: Mutant[] = [];

  function add(start: number, end: number, replacement: string): void {
    const lineStart = code.lastIndexOf("\n", start - 1) + 1;
    const lineEnd = code.indexOf("\n", start);
    const before = code.slice(lineStart, lineEnd === -1 ? undefined : lineEnd);
    const mutated = code.slice(0, start) + replacement + code.slice(end);
    const after = mutated.slice(lineStart).split("\n", 1)[0] ?? "";
    const line = code.slice(0, start).split("\n").length;
    mutants.push({ file, start, end, replacement, line, before: before.trim(), after: after.trim() });
  }

  function visit(node: ESTree.Node): void {
    if (wrappers.has(node.type)) visitChild((node as ESTree.TSAsExpression).expression);
    if (node.type.startsWith("TS")) return;
    switch (node.type) {
      case "BinaryExpression":
      case "LogicalExpression": {
        const operator = swapped[node.operator];
        // A text is only concatenated.
        if (operator === undefined || (node.operator === "+" && (isText(node.left) || isText(node.right)))) break;
        const [left, right] = [
          code.slice(node.left.start, node.left.end),
          code.slice(node.right.start, node.right.end),
        ];
        const between = code.slice(node.left.end, node.right.start).replace(node.operator, operator);
        // Mixed operators need parentheses.
        const replacement =
          node.type === "BinaryExpression" ? `${left}${between}${right}` : `((${left})${between}(${right}))`;
        add(node.start, node.end, replacement);
        break;
      }
      case "UnaryExpression":
        if (node.operator === "!") add(node.start, node.end, code.slice(node.start + 1, node.end));
        break;
      case "Literal":
        if (typeof node.value === "boolean") add(node.start, node.end, String(!node.value));
        break;
      case "IfStatement":
      case "ConditionalExpression":
        for (const value of ["true", "false"]) add(node.test.start, node.test.end, value);
        break;
    }
    for (const child of Object.values(node)) visitChild(child);
  }
  function visitChild(child: unknown): void {
    if (Array.isArray(child)) child.forEach(visitChild);
    else if (typeof child === "object" && child !== null && "type" in child) visit(child as ESTree.Node);
  }
  visit(program);
  return mutants.filter((mutant) => parseSync(file, applyMutant(mutant, code)).errors.length === 0);
}

function isText(node: ESTree.Node): boolean {
  return node.type === "TemplateLiteral" || (node.type === "Literal" && typeof node.value === "string");
}

/** The text of a file with a mutant in it. */
export function applyMutant(
  { start, end, replacement }: Pick<Mutant, "start" | "end" | "replacement">,
  code: string,
): string {
  return code.slice(0, start) + replacement + code.slice(end);
}

/**
 * The text of a file that adds the index of each mutant to the set `globalThis.reachedMutants`, if there is one, when the expression of
 * the mutant is evaluated.
 */
export function applyProbes(
  mutants: readonly (Pick<Mutant, "start" | "end"> & { index: number })[],
  code: string,
): string {
  const outerFirst = [...mutants].sort((a, b) => a.start - b.start || b.end - a.end);
  const openings = outerFirst.map(({ start, index }) => ({
    at: start,
    text: `(globalThis.reachedMutants?.add(${index}), (`,
  }));
  const closings = mutants.map(({ end }) => ({ at: end, text: "))" }));
  // Sorting is stable: an expression that ends where another one begins is closed first.
  const insertions = [...closings, ...openings].sort((a, b) => a.at - b.at);
  let probed = "";
  let last = 0;
  for (const { at, text } of insertions) {
    probed += code.slice(last, at) + text;
    last = at;
  }
  return probed + code.slice(last);
}

/** Names a mutant independently of its folder and its line number, so that moved code keeps its names. */
export const mutantName = ({ file, after }: Mutant): string => `${path.basename(file)}: ${after}`;

/**
 * Draws mutants. The order depends only on the seed and the changed lines: a larger sample contains the smaller one, and an
 * edit elsewhere does not change the sample.
 */
export function drawMutants(mutants: readonly Mutant[], seed: number, count: number): Mutant[] {
  const rank = (mutant: Mutant): string =>
    createHash("sha256")
      .update(`${seed} ${mutantName(mutant)} ${mutant.before}`)
      .digest("hex");
  const ranked = mutants.map((mutant) => ({ mutant, rank: rank(mutant) }));
  ranked.sort((a, b) => (a.rank < b.rank ? -1 : a.rank > b.rank ? 1 : 0));
  return ranked.slice(0, count).map(({ mutant }) => mutant);
}
