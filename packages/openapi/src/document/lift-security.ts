import type { Operation } from "../operation/operation.js";

/** Operations, and the security requirement that they inherit from the document. */
export interface LiftedSecurity {
  /** `undefined` if there is no operation. */
  readonly security?: unknown;
  readonly operations: readonly Operation[];
}

/** Moves the security requirement of most operations to the document, so that it is written once. */
export function liftSecurity(operations: readonly Operation[]): LiftedSecurity {
  const textOf = ({ security }: Operation): string => JSON.stringify(security);
  const counts = new Map<string, number>();
  for (const operation of operations) counts.set(textOf(operation), (counts.get(textOf(operation)) ?? 0) + 1);
  const [[commonest] = []] = [...counts].sort(([, a], [, b]) => b - a);
  if (commonest === undefined) return { operations };
  const inherited = (operation: Operation): Operation => {
    const { security: _security, ...rest } = operation;
    return textOf(operation) === commonest ? rest : operation;
  };
  return { security: JSON.parse(commonest), operations: operations.map(inherited) };
}
