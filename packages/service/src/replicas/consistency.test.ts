import { createServer } from "node:http";
import { makeFetch } from "@servicekit/server";
import express from "express";
import { describe, expect, it } from "vitest";
import { makeConsistency } from "./consistency.js";
import { makeConsistencyTokens, type Needed } from "./consistency-token.js";

const tokens = makeConsistencyTokens("postgresql://ann:secret@one/shop", 5_000);

/** A server whose responses contain what the reads of the request must contain. */
function serve(position: () => Promise<bigint> = async () => 7n) {
  const { handler, session } = makeConsistency({ tokens, cookie: { sameSite: "lax" }, position });
  const app = express();
  const server = createServer(app);
  const fetch = makeFetch(server, () => false);
  app.use(handler);
  app.post("/outer", async (_request, response) => {
    response.send(await (await fetch(new Request("http://localhost/inner"))).text());
  });
  app.use((_request, response) => void response.send(String(session()?.needed)));
  const call = (method: string, headers: Record<string, string> = {}, path = "/") =>
    fetch(new Request(`http://localhost${path}`, { method, headers }));
  const neededBy = async (headers: Record<string, string>): Promise<string> => (await call("GET", headers)).text();
  return { call, neededBy, session };
}

describe("C122 what the reads of a request must contain", () => {
  it("is everything before the later position of its header and its cookie", async () => {
    const { neededBy } = serve();
    const header = (needed: Needed) => ({ "consistency-token": tokens.write(needed) });
    const cookie = (needed: Needed) => ({ cookie: `a=b; consistency_token=${tokens.write(needed)}; c=d` });
    expect(await neededBy({})).toBe("0");
    expect(await neededBy(header(5n))).toBe("5");
    expect(await neededBy(cookie(6n))).toBe("6");
    expect(await neededBy({ ...header(5n), ...cookie(6n) })).toBe("6");
    expect(await neededBy({ ...header(8n), ...cookie(6n) })).toBe("8");
    expect(await neededBy({ ...header(8n), ...cookie("latest") })).toBe("latest");
    expect(await neededBy({ ...header(8n), cookie: "consistency_token=forged" })).toBe("8");
  });

  it("is everything if the request may write", async () => {
    const { call } = serve();
    for (const method of ["POST", "PUT", "PATCH", "DELETE"]) expect(await (await call(method)).text()).toBe("latest");
  });

  it("is that of the request on whose behalf it is sent, as by an AI agent", async () => {
    const { call } = serve();
    expect(await (await call("POST", {}, "/outer")).text()).toBe("latest");
  });

  it("is nothing outside of requests", () => {
    expect(serve().session()).toBeUndefined();
  });
});

describe("C122 the token of a write", () => {
  const tokenOf = async (position: () => Promise<bigint>) =>
    tokens.read((await serve(position).call("POST")).headers.get("consistency-token") ?? "");

  it("has the position of the primary", async () => {
    expect(await tokenOf(async () => 7n)).toBe(7n);
  });

  it("directs reads to the primary if the position is unknown", async () => {
    expect(await tokenOf(() => Promise.reject(new Error("unavailable")))).toBe("latest");
  });
});
