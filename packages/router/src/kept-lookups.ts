import type { ExpressLayer, ExpressRoute, LayeredRouter } from "./express-layers.js";
import { findRoute, isPlain, type RouteLookup, routesBefore } from "./route-table.js";

/** A lookup, and all that it depends on. */
interface Kept {
  readonly lookup: RouteLookup;
  readonly routers: readonly KeptRouter[];
  /** Routes of other methods that stand before the one that was found, with their methods: Express lets them get more. */
  readonly before: readonly KeptRoute[];
}

interface KeptRoute {
  readonly route: ExpressRoute;
  readonly methods: number;
}

/** A router as it was; layers are only ever added. */
interface KeptRouter {
  readonly router: LayeredRouter;
  readonly size: number;
  readonly last: ExpressLayer | undefined;
}

/**
 * Looks routes up, and keeps what was found for paths that a route spells out: for no other, so that there are never more than
 * routes. What is kept holds as long as nobody has added anything to the routers on the way.
 */
export function keepLookups(root: object): (method: string, path: string) => RouteLookup {
  const kept = new Map<string, Kept>();
  return (method, path) => {
    const key = `${method} ${path}`;
    const known = kept.get(key);
    if (known !== undefined && holds(known)) return known.lookup;
    const visited: LayeredRouter[] = [];
    const lookup = findRoute(root, method, path, visited);
    const { found, way } = lookup;
    if (way !== undefined && found?.template === path) {
      const routers = visited.map((router) => ({ router, size: router.stack.length, last: router.stack.at(-1) }));
      kept.set(key, { lookup, routers, before: routesBefore(root, path, way.route).map(asItIs) });
    }
    return lookup;
  };
}

const asItIs = (route: ExpressRoute): KeptRoute => ({ route, methods: countMethods(route) });

function countMethods({ methods }: ExpressRoute): number {
  let count = 0;
  for (const _ in methods) count++;
  return count;
}

function holds({ routers, before }: Kept): boolean {
  for (let at = 0; at < routers.length; at++) {
    const { router, size, last } = routers[at] as KeptRouter;
    if (router.stack.length !== size || router.stack[size - 1] !== last || !isPlain(router, at > 0)) return false;
  }
  for (const { route, methods } of before) if (countMethods(route) !== methods) return false;
  return true;
}
