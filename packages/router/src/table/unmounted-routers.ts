import type { DeclaredRoute } from "../declaration/declared-route.js";
import { recordOf } from "./express-layers.js";
import { listRoutes } from "./route-table.js";

/** A router with declared routes that no application was seen to reach. */
const waiting = new Set<WeakRef<object>>();
const known = new WeakSet<object>();

/** Registers a router with declared routes, without keeping it alive (docs/decisions/0010-unmounted-routers.md). */
export function noteRouter(router: object): void {
  if (known.has(router)) return;
  known.add(router);
  waiting.add(new WeakRef(router));
}

/**
 * The declared routes of each router that neither this application nor one before it reaches: each router is reported
 * once.
 *
 * @param router that of an application whose routers are all mounted
 */
export function unmountedRoutes(router: object): readonly (readonly DeclaredRoute[])[] {
  const reached = new Set(listRoutes(router).flatMap(({ entry }) => entry.route ?? []));
  const unmounted: (readonly DeclaredRoute[])[] = [];
  for (const entry of waiting) {
    waiting.delete(entry);
    const router = entry.deref();
    const record = router && recordOf(router);
    const routes = (record?.routes ?? []).flatMap(({ declared }) => declared ?? []);
    if (routes.length > 0 && !routes.some((route) => reached.has(route))) unmounted.push(routes);
  }
  return unmounted;
}
