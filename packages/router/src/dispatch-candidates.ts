import type { IncomingMessage } from "node:http";
import { type ExpressLayer, type LayeredRouter, mountedRouter } from "./express-layers.js";
import { layerIndexOf } from "./layer-index.js";

/**
 * The layers of a router that can match a request, as a stack for Express's own dispatch. Where layers were left out, a
 * checkpoint stands in their place: when a handler has rewritten the URL or the method by then, it puts the candidates
 * of the new one behind itself, so that nothing registered later is missed.
 */
export function candidateStack(router: LayeredRouter, request: IncomingMessage, path: string): ExpressLayer[] {
  const stack: ExpressLayer[] = [];
  let first = 0;
  while (isForAll(router.stack[first])) stack.push(router.stack[first++] as ExpressLayer);
  if (first === 0) append(stack, router, request, path, -1);
  // A handler that everything comes to may answer: what follows is looked up when a request gets there.
  else stack.push(makeCheckpoint(stack, router, request, undefined, undefined, first - 1));
  return stack;
}

/** Whether a layer is a handler mounted at `/`. */
function isForAll(layer: ExpressLayer | undefined): boolean {
  return (
    layer !== undefined && layer.route === undefined && layer.rawPath === "/" && mountedRouter(layer) === undefined
  );
}

function append(
  stack: ExpressLayer[],
  router: LayeredRouter,
  request: IncomingMessage,
  path: string,
  after: number,
): void {
  const { method = "GET" } = request;
  const index = layerIndexOf(router);
  let previous = after;
  for (const position of index.candidates(path, method)) {
    if (position <= after) continue;
    if (position > previous + 1) stack.push(makeCheckpoint(stack, router, request, path, method, previous));
    stack.push(router.stack[position] as ExpressLayer);
    previous = position;
  }
  if (previous < router.stack.length - 1) {
    stack.push(makeCheckpoint(stack, router, request, path, method, previous));
  }
}

function makeCheckpoint(
  stack: ExpressLayer[],
  router: LayeredRouter,
  request: IncomingMessage,
  path: string | undefined,
  method: string | undefined,
  after: number,
): ExpressLayer {
  const slot = stack.length;
  return {
    route: undefined,
    handle: undefined,
    match(current) {
      if (current !== path || request.method !== method) {
        // Express reads the length of the stack anew in every round of its search.
        stack.length = slot + 1;
        append(stack, router, request, current, after);
      }
      return false;
    },
  };
}
