/** Maximum depth of a search before the value counts as too deep (contract C5). */
export interface ScanOptions {
  /** @default 32 */
  readonly maxDepth?: number;
}

/** The issue that a scan of a parsed body found. */
export type ScanError =
  | { readonly issue: "forbidden"; readonly path: readonly string[] }
  | { readonly issue: "too-deep"; readonly path: readonly string[] };

/**
 * Searches a parsed JSON value for the own key `__proto__` (contract C20) and for nesting over the limit. It does not
 * use recursion, so that no input can overflow the stack.
 */
export function findForbiddenKey(value: unknown, options: ScanOptions = {}): ScanError | undefined {
  const { maxDepth = 32 } = options;
  interface Step {
    readonly value: object;
    readonly depth: number;
    readonly key: string;
    readonly parent: Step | undefined;
  }
  const pathOf = (step: Step | undefined): string[] => {
    const path: string[] = [];
    for (let at = step; at?.parent !== undefined; at = at.parent) path.unshift(at.key);
    return path;
  };
  if (typeof value !== "object" || value === null) return undefined;
  const open: Step[] = [{ value, depth: 1, key: "", parent: undefined }];
  for (let step = open.pop(); step !== undefined; step = open.pop()) {
    if (step.depth > maxDepth) return { issue: "too-deep", path: pathOf(step) };
    for (const key of Object.keys(step.value)) {
      if (key === "__proto__") return { issue: "forbidden", path: [...pathOf(step), key] };
      const child = (step.value as Record<string, unknown>)[key];
      if (typeof child === "object" && child !== null) {
        open.push({ value: child, depth: step.depth + 1, key, parent: step });
      }
    }
  }
  return undefined;
}
