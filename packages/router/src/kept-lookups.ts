import type { LayerPlace } from "./direct-dispatch.js";
import type { ExpressLayer, ExpressRoute, LayeredRouter } from "./express-layers.js";
import { layerIndexOf } from "./layer-index.js";
import {
  type FoundRoute,
  findRoute,
  isPlain,
  type RouteLookup,
  routesBefore,
  type VisitedRouter,
} from "./route-table.js";

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

/** A lookup of a path whose last segment is a parameter. */
interface KeptByEnd extends Kept {
  /** What the parameter is called. */
  readonly name: string;
  /** The path that was looked up. */
  readonly path: string;
  /** What some pattern has in the parameter's place, in small letters. */
  readonly words: ReadonlySet<string>;
}

/** What is kept of a method: by the path, and by what stands before its last segment. */
interface KeptOfMethod {
  readonly kept: Map<string, Kept>;
  readonly keptByEnd: Map<string, KeptByEnd>;
}

const nothingKept: KeptOfMethod = { kept: new Map(), keptByEnd: new Map() };

/**
 * Looks routes up, and keeps what was found for paths that a route spells out, or spells out but for a parameter at their end: for
 * no other, so that there are never more than routes. What is kept holds as long as nobody has added anything to the routers on the way.
 */
export function keepLookups(root: object): (method: string, path: string) => RouteLookup {
  const ofMethods = new Map<string, KeptOfMethod>();
  return (method, path) => {
    const { kept, keptByEnd } = ofMethods.get(method) ?? nothingKept;
    const known = kept.get(path);
    if (known !== undefined && holds(known)) return known.lookup;
    const end = path.lastIndexOf("/") + 1;
    const like = keptByEnd.get(path.slice(0, end));
    if (like !== undefined && isAlike(like, path.slice(end)) && holds(like)) return withEnd(like, path, end);
    const visited: VisitedRouter[] = [];
    const lookup = findRoute(root, method, path, visited);
    const { found, way } = lookup;
    if (way === undefined || found === undefined) return lookup;
    const keep = (): Kept => {
      const routers = visited.map(({ router }) => ({ router, size: router.stack.length, last: router.stack.at(-1) }));
      return { lookup, routers, before: routesBefore(root, path, way.route).map(asItIs) };
    };
    if (found.template === path) keptOf(ofMethods, method).kept.set(path, keep());
    else {
      const name = parameterAtEnd(found, path.slice(0, end), path.slice(end));
      const words = name === undefined ? undefined : wordsAt(visited);
      if (name !== undefined && words?.has(path.slice(end).toLowerCase()) === false) {
        keptOf(ofMethods, method).keptByEnd.set(path.slice(0, end), { ...keep(), name, path, words });
      }
    }
    return lookup;
  };
}

function keptOf(ofMethods: Map<string, KeptOfMethod>, method: string): KeptOfMethod {
  const known = ofMethods.get(method);
  if (known !== undefined) return known;
  const made: KeptOfMethod = { kept: new Map(), keptByEnd: new Map() };
  ofMethods.set(method, made);
  return made;
}

/** What the one parameter of a template is called that stands at its end, behind what the path spells out. */
function parameterAtEnd({ template, params }: FoundRoute, before: string, end: string): string | undefined {
  const names = Object.keys(params);
  const [name] = names;
  const isAtEnd = names.length === 1 && name !== undefined && template === `${before}:${name}`;
  return isAtEnd && params[name] === end ? name : undefined;
}

/** What patterns have in the place of the last segment; `undefined` where one of them looks into it. */
function wordsAt(visited: readonly VisitedRouter[]): ReadonlySet<string> | undefined {
  const words = new Set<string>();
  for (const { router, path } of visited) {
    const ofRouter = layerIndexOf(router).wordsAtEnd(path);
    if (ofRouter === undefined) return undefined;
    for (const word of ofRouter) words.add(word.toLowerCase());
  }
  return words;
}

/** Whether every pattern takes a segment as it took that of the path that was looked up. */
function isAlike({ words }: KeptByEnd, end: string): boolean {
  return end !== "" && !end.includes("%") && (words.size === 0 || !words.has(end.toLowerCase()));
}

/** The lookup of a path that differs from the kept one in its last segment alone. */
function withEnd({ lookup, name, path: from }: KeptByEnd, path: string, end: number): RouteLookup {
  const { found, way, entry } = lookup as Required<Pick<RouteLookup, "found" | "way">> & RouteLookup;
  const params: Record<string, string> = Object.create(null);
  params[name] = path.slice(end);
  const rest = (left: string): string => path.slice(from.length - left.length);
  const placeOf = ({ router, position, path: left, above }: LayerPlace): LayerPlace => ({
    router,
    position,
    path: rest(left),
    above: above && placeOf(above),
  });
  return {
    found: { ...found, params },
    way: { route: way.route, baseUrl: way.baseUrl, path: rest(way.path), params, place: placeOf(way.place) },
    entry: entry && placeOf(entry),
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
