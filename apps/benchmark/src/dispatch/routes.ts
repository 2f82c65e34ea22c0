/** The paths of `count` routes, in the order of their registration: static ones and ones with a parameter by turns. */
export function routePaths(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => {
    const list = `/shop/section-${index >> 1}/items`;
    return index % 2 === 0 ? list : `${list}/:id`;
  });
}

/** Which of the routes are asked for. */
export const targets = ["last static", "last with parameter", "ten in rotation"] as const;
export type Target = (typeof targets)[number];

/** The URLs that reach a target; of the ten, each other one has a parameter. */
export function targetUrls(target: Target, paths: readonly string[]): readonly string[] {
  const url = (index: number): string => (paths[index] ?? "").replace(":id", "4711");
  const last = paths.length - 1;
  if (target === "last static") return [url(last - 1)];
  if (target === "last with parameter") return [url(last)];
  // Two neighbours in each fifth of the table: the end of it, so that the last route is among them.
  const fifth = paths.length / 5;
  return [1, 2, 3, 4, 5].flatMap((part) => [url(part * fifth - 2), url(part * fifth - 1)]);
}
