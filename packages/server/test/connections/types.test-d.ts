import type { Server } from "node:http";
import { describe, expectTypeOf, it } from "vitest";
import { type FetchHandler, makeFetch, type PeerFacts } from "../../src/index.js";

declare const server: Server;

describe("makeFetch", () => {
  it("takes a request alone, as fetch does", () => {
    const answer = makeFetch(server, () => false);
    expectTypeOf(answer).toExtend<FetchHandler>();
    expectTypeOf(answer).parameters.toEqualTypeOf<[request: Request]>();
  });

  it("takes besides what tells the peer", () => {
    const answer = makeFetch(
      server,
      () => false,
      (remoteAddress: string): Partial<PeerFacts> => ({ remoteAddress }),
    );
    expectTypeOf(answer).parameters.toEqualTypeOf<[request: Request, remoteAddress: string]>();
    // @ts-expect-error the peer is told with each request
    void answer(new Request("http://shop.test/"));
  });
});
