import type { ErrorRequestHandler } from "express";
import type { LayerPlace } from "./direct-dispatch.js";
import { matchLayer } from "./express-layers.js";
import { layerIndexOf } from "./layer-index.js";

/**
 * The handler to which Express would bring an error from a place: the first that is mounted behind it, through all routers
 * above. `undefined` where there is none, and where that one sees less of the URL than came.
 */
export function errorHandlerBehind(from: LayerPlace): ErrorRequestHandler | undefined {
  for (let place: LayerPlace | undefined = from; place !== undefined; place = place.above) {
    const { router, position, path } = place;
    for (const behind of layerIndexOf(router).errorHandlers()) {
      const layer = router.stack[behind];
      if (behind <= position || layer === undefined || matchLayer(layer, path) === undefined) continue;
      const seesAll = place.above === undefined && layer.rawPath === "/";
      return seesAll ? (layer.handle as ErrorRequestHandler) : undefined;
    }
  }
  return undefined;
}
