import type { Server } from "node:http";
import { describe, expectTypeOf, it } from "vitest";
import { type ConnectionInfo, type FetchHandler, makeFetch } from "../../src/index.js";

declare const server: Server;

describe("makeFetch", () => {
  it("accepts only a request, as fetch does", () => {
    const response = makeFetch(server, () => false);
    expectTypeOf(response).toExtend<FetchHandler>();
    expectTypeOf(response).parameters.toEqualTypeOf<[request: Request]>();
  });

  it("also accepts the peer address", () => {
    const response = makeFetch(
      server,
      () => false,
      (remoteAddress: string): Partial<ConnectionInfo> => ({ remoteAddress }),
    );
    expectTypeOf(response).parameters.toEqualTypeOf<[request: Request, remoteAddress: string]>();
    // @ts-expect-error the peer is passed with each request
    void response(new Request("http://shop.test/"));
  });
});
