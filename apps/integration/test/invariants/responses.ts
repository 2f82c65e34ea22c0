import type { DrawnRequest, Setup } from "./cases.js";
import type { Invariant } from "./check-cases.js";
import { drawSetup } from "./draw-setup.js";
import { drawCaller, drawWriter, makeMaterial } from "./material.js";
import { drawRead } from "./reads.js";
import type { Reply } from "./send.js";
import { startCase } from "./start-case.js";
import { drawWrite } from "./writes.js";

interface Case {
  readonly setup: Setup;
  readonly requests: readonly DrawnRequest[];
}

/** Every request gets a response of its own making: no 5xx, and no unhandled error. */
export const responses = (serverUrl: string, requests: number): Invariant<Case> => ({
  name: "responses",
  lists: ["requests"],
  draw: (draw, provider, models) => {
    const setup = drawSetup(draw, provider, models);
    const material = makeMaterial(draw, setup, models);
    const drawRequest = (): DrawnRequest => {
      return draw.chance(0.5)
        ? { caller: drawCaller(draw), ...drawRead(material) }
        : { caller: drawWriter(draw), ...drawWrite(material) };
    };
    return { setup, requests: Array.from({ length: requests }, drawRequest) };
  },
  check: async ({ setup, requests }, count) => {
    const running = await startCase(setup, serverUrl);
    try {
      for (const request of requests) {
        const reply = await running.send(request);
        count(kindOf(request, reply));
        if (reply.status >= 500) {
          return [
            { kind: request.path, detail: `${request.method} ${request.target} is ${reply.status}: ${reply.text}` },
          ];
        }
      }
      return [];
    } finally {
      await running.close();
    }
  },
});

/** Whether a request has read or written rows, or was rejected. */
export function kindOf({ method, target }: Pick<DrawnRequest, "method" | "target">, { status, body }: Reply): string {
  if (status >= 300 || body?.result?.isError === true || body?.error !== undefined) return "rejected";
  return method === "GET" || target === "/mcp" ? "read" : "written";
}
