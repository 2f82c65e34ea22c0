import type { Server } from "node:http";
import qs from "node:querystring";
import { type FastifyReply, fastify } from "fastify";
import { makePrismaHandlers, type PeerResponse } from "./prisma-handlers.js";

type ById = { Params: { id: string } };

/** Fastify with only its routes. */
export async function serveFastify(): Promise<Server> {
  const handlers = makePrismaHandlers();
  const app = fastify({ routerOptions: { querystringParser: readQuery } });
  app.get("/api", (_request, reply) => send(reply, handlers.welcome()));
  app.post("/api/quotes", (request, reply) => send(reply, handlers.quote(request.body)));
  app.get("/api/products", async (request, reply) => send(reply, await handlers.list(request.query, request.url)));
  app.get<ById>("/api/products/:id", async ({ params }, reply) => send(reply, await handlers.read(params.id)));
  app.post("/api/products", async (request, reply) => send(reply, await handlers.create(request.body)));
  app.patch<ById>("/api/products/:id", async ({ params, body }, reply) =>
    send(reply, await handlers.update(params.id, body)),
  );
  app.get<ById>("/api/branches/:id", async ({ params, headers }, reply) =>
    send(reply, await handlers.readBranch(params.id, headers.authorization)),
  );
  await app.ready();
  return app.server;
}

/** `price[gte]=1` as `{ price: { gte: "1" } }`: the only nesting that these routes use. */
function readQuery(text: string): Record<string, unknown> {
  const nested: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(qs.parse(text))) {
    const [, name = key, inner] = /^(\w+)\[(\w+)\]$/.exec(key) ?? [];
    if (inner === undefined) nested[name] = value;
    else nested[name] = { ...(nested[name] as object | undefined), [inner]: value };
  }
  return nested;
}

function send(reply: FastifyReply, { status, body, headers }: PeerResponse): FastifyReply {
  if (headers !== undefined) reply.headers(headers);
  return reply.code(status).send(body);
}
