import type { DocumentObject } from "@servicekit/router";

/**
 * Takes what the most operations ask of their callers from these operations, so that it is said once for the whole
 * document.
 *
 * @returns the `security` of the document; `undefined` where there is no operation
 */
export function liftSecurity(paths: Record<string, Record<string, DocumentObject>>): unknown {
  const operations = Object.values(paths).flatMap((path) => Object.entries(path).map(([method]) => ({ path, method })));
  const textOf = ({ path, method }: (typeof operations)[number]): string => JSON.stringify(path[method]?.security);
  const counts = new Map<string, number>();
  for (const operation of operations) counts.set(textOf(operation), (counts.get(textOf(operation)) ?? 0) + 1);
  const [[commonest] = []] = [...counts].sort(([, a], [, b]) => b - a);
  for (const operation of operations) {
    const { security: _security, ...rest } = operation.path[operation.method] ?? {};
    if (textOf(operation) === commonest) operation.path[operation.method] = rest;
  }
  return commonest === undefined ? undefined : JSON.parse(commonest);
}
