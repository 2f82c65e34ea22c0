import { type ExpressLayer, isErrorHandler, type LayeredRouter, layerPath, takesMethod } from "./express-layers.js";

/** Finds the layers of a router that can match a path, in time that does not grow with the number of routes. */
export interface LayerIndex {
  /**
   * Positions in the router's stack, ascending. A superset of what matches: Express's own matchers decide among them.
   */
  candidates(path: string, method: string): readonly number[];
  /**
   * The words that patterns have, as they compare, where a path has its last segment; `undefined` where a pattern that can match
   * the path may look into that segment.
   */
  wordsAtEnd(path: string): readonly string[] | undefined;
  /** Positions of mounted handlers of errors, ascending. */
  errorHandlers(): readonly number[];
}

interface Segment {
  readonly statics: Map<string, Segment>;
  any: Segment | undefined;
  /** Layers whose pattern ends here. */
  readonly ends: number[];
  /** Layers that match everything from here on. */
  readonly prefixes: number[];
}

const makeSegment = (): Segment => ({ statics: new Map(), any: undefined, ends: [], prefixes: [] });

/** A segment that stands for itself: letter case of ASCII is the only freedom that a match has. */
const literal = /^[\w\-.~$%&',;=@ ]*$/;

const indexKey = Symbol("servicekit.layerIndex");

/** The index of a router, made at the first question and kept on the router. */
export function layerIndexOf(router: LayeredRouter): LayerIndex {
  const holder = router as LayeredRouter & { [indexKey]?: LayerIndex };
  if (!Object.hasOwn(holder, indexKey)) Object.defineProperty(holder, indexKey, { value: makeLayerIndex(router) });
  return holder[indexKey] as LayerIndex;
}

function makeLayerIndex(router: LayeredRouter): LayerIndex {
  let root = makeSegment();
  let size = 0;
  let last: ExpressLayer | undefined;
  let catching: number[] = [];

  const update = (): void => {
    const { stack } = router;
    if (stack.length === size && stack[size - 1] === last) return;
    // Layers are only ever added; whoever takes some out gets a new index.
    if (stack.length < size || stack[size - 1] !== last) {
      root = makeSegment();
      size = 0;
      catching = [];
    }
    for (; size < stack.length; size++) {
      const layer = stack[size] as ExpressLayer;
      insert(root, layer, size, router);
      if (isErrorHandler(layer)) catching.push(size);
    }
    last = stack[size - 1];
  };

  const asCompared = (path: string): string => (router.caseSensitive ? path : path.toLowerCase());
  return {
    candidates(path, method) {
      update();
      const wanted = asCompared(path);
      if (isElsewhere(root, wanted)) return nothing;
      const segments = wanted.split("/");
      const found: number[] = [];
      collect(root, segments, 1, found);
      // HEAD and OPTIONS concern routes of other methods, and Express refuses a bad percent code before it compares.
      if (method !== "HEAD" && method !== "OPTIONS" && !path.includes("%")) keepMethod(found, router.stack, method);
      return found.sort(ascending);
    },
    wordsAtEnd(path) {
      update();
      const segments = asCompared(path).split("/");
      const found: number[] = [];
      collect(root, segments, 1, found);
      if (!found.every((position) => isByWords(router.stack[position] as ExpressLayer))) return undefined;
      return nodesAt(root, segments.slice(1, -1)).flatMap(({ statics }) => [...statics.keys()]);
    },
    errorHandlers() {
      update();
      return catching;
    },
  };
}

const nothing: readonly number[] = [];

/** Whether no pattern begins as a path does: most routers on the way to a route are none of its own. */
function isElsewhere({ prefixes, any, statics }: Segment, path: string): boolean {
  if (prefixes.length > 0 || any !== undefined || !path.startsWith("/")) return false;
  const end = path.indexOf("/", 1);
  const first = path.slice(1, end === -1 ? undefined : end);
  return first !== "" && !statics.has(first);
}

const ascending = (a: number, b: number): number => a - b;

function keepMethod(found: number[], stack: readonly ExpressLayer[], method: string): void {
  let kept = 0;
  for (const position of found) {
    const route = stack[position]?.route;
    if (route === undefined || takesMethod(route, method)) found[kept++] = position;
  }
  found.length = kept;
}

function collect(node: Segment, segments: readonly string[], depth: number, found: number[]): void {
  for (const position of node.prefixes) found.push(position);
  const left = segments.length - depth;
  if (left === 0 || (left === 1 && segments[depth] === "")) for (const position of node.ends) found.push(position);
  if (left === 0) return;
  const next = node.statics.get(segments[depth] as string);
  if (next !== undefined) collect(next, segments, depth + 1, found);
  if (node.any !== undefined) collect(node.any, segments, depth + 1, found);
}

/** Whether a pattern compares whole segments, or takes them whatever they are. */
function isByWords(layer: ExpressLayer): boolean {
  const path = layerPath(layer);
  return typeof path === "string" && path.split("/").every((segment) => literal.test(segment) || whole.test(segment));
}

/** A segment that is one parameter. */
const whole = /^:[A-Za-z_]\w*$/;

/** The nodes that are come to by so many segments. */
function nodesAt(root: Segment, segments: readonly string[]): readonly Segment[] {
  let nodes = [root];
  for (const segment of segments) {
    nodes = nodes.flatMap(({ statics, any }) => [statics.get(segment), any].filter((node) => node !== undefined));
  }
  return nodes;
}

function insert(root: Segment, layer: ExpressLayer, position: number, router: LayeredRouter): void {
  const path = layerPath(layer);
  if (typeof path !== "string" || path.includes('"') || (path !== "" && !path.startsWith("/"))) {
    root.prefixes.push(position);
    return;
  }
  // As Express loosens patterns: a route at "/" keeps its slash, so that it matches "//" too.
  const keepsSlash = layer.route !== undefined && (router.strict === true || path === "/");
  const { segments, open } = splitPattern(keepsSlash ? path : path.replace(/\/+$/, ""));
  let node = root;
  for (const segment of segments) node = child(node, router.caseSensitive ? segment : segment.toLowerCase());
  (open || layer.route === undefined ? node.prefixes : node.ends).push(position);
}

/** The segments before the first wildcard or optional group; `open` when there is one. */
function splitPattern(pattern: string): { readonly segments: readonly string[]; readonly open: boolean } {
  const special = pattern.search(/[*{]/);
  if (special === -1) return { segments: pattern.split("/").slice(1), open: false };
  const head = pattern.slice(0, special);
  return { segments: head.split("/").slice(1, -1), open: true };
}

function child(node: Segment, segment: string): Segment {
  if (!literal.test(segment)) {
    node.any ??= makeSegment();
    return node.any;
  }
  const known = node.statics.get(segment);
  if (known !== undefined) return known;
  const made = makeSegment();
  node.statics.set(segment, made);
  return made;
}
