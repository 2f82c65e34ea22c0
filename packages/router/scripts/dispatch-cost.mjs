/**
 * Prints the cost of dispatch with 10, 1,000 and 10,000 declared routes, and the cost of a declared route with body
 * validation next to the same route in hand-written Express. Run it manually after a build: `node
 * packages/router/scripts/dispatch-cost.mjs`. It prints CPU microseconds per request; compare their ratios.
 */
import { Agent, IncomingMessage, request as send } from "node:http";
import { Socket } from "node:net";
import express from "express";
import { z } from "zod";
import {
  makeApp,
  makeBodyParserStep,
  makeQueryParserStep,
  makeServer,
  makeValidationStep,
  mountRoutes,
  ServiceRouter,
} from "../dist/index.js";

const agent = new Agent({ keepAlive: true, maxSockets: 16 });

/** Dispatch only: no socket, no response. */
function dispatchCost(routes) {
  const router = ServiceRouter();
  let reached = 0;
  for (let index = 0; index < 9; index++) router.use((_request, _response, next) => next());
  for (let index = 0; index < routes / 2; index++) {
    router.get(`/things-${index}`, () => reached++);
    router.get(`/things-${index}/:id`, () => reached++);
  }
  const rounds = 40_000;
  const run = () => {
    for (let index = 0; index < rounds; index++) {
      const request = new IncomingMessage(socket);
      request.method = "GET";
      request.url = `/things-${(index * 7919) % (routes / 2)}/7`;
      router.handle(request, response, fail);
    }
  };
  run();
  const start = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(start);
  if (reached !== 2 * rounds) throw new Error(`reached ${reached}`);
  return (user + system) / rounds;
}
const socket = new Socket();
const response = {};
const fail = (error) => {
  throw error ?? new Error("not found");
};

const schema = z.strictObject({ name: z.string().min(2), age: z.number().int(), tags: z.array(z.string()) });
const body = JSON.stringify({ name: "Ann", age: 7, tags: ["a", "b", "c"] });

function byHand() {
  const app = express();
  app.disable("x-powered-by");
  app.use(express.json());
  for (let index = 0; index < 100; index++) app.get(`/other-${index}/:id`, (_request, response) => response.json({}));
  app.post("/people/:id", (request, response) => {
    const parsed = schema.safeParse(request.body);
    if (!parsed.success) {
      response.status(400).json({ errors: parsed.error.issues });
      return;
    }
    response.json({ id: request.params.id, ...parsed.data, query: request.query });
  });
  return app;
}

function declared() {
  const app = makeApp();
  const router = ServiceRouter();
  for (let index = 0; index < 100; index++)
    router.get({ path: `/other-${index}/:id` }, (_request, response) => response.json({}));
  router.post({ path: "/people/:id", validation: { body: schema } }, (request, response) => {
    response.json({ id: request.params.id, ...request.body, query: request.query });
  });
  mountRoutes(app, {
    global: [makeBodyParserStep(), makeQueryParserStep()],
    route: [makeValidationStep()],
    mount: () => app.use(router),
  });
  return app;
}

async function load(server, requests) {
  const { port } = server.address();
  let left = requests;
  const one = () =>
    new Promise((resolve, reject) => {
      const outgoing = send(
        {
          port,
          agent,
          method: "POST",
          path: "/people/7?a=1&b=x",
          headers: { "content-type": "application/json", "content-length": body.length },
        },
        (reply) => {
          if (reply.statusCode !== 200) reject(new Error(String(reply.statusCode)));
          reply.resume().on("end", resolve);
        },
      );
      outgoing.on("error", reject).end(body);
    });
  await Promise.all(
    Array.from({ length: 16 }, async () => {
      while (left-- > 0) await one();
    }),
  );
}

async function compare(rounds) {
  const servers = [
    ["express", express.application && (await listen(byHand()))],
    ["declared", await listenOwn(declared())],
    ["express + own messages", await listenOwn(byHand())],
  ];
  const costs = new Map(servers.map(([name]) => [name, []]));
  for (let round = 0; round < rounds + 1; round++) {
    for (const [name, server] of servers) {
      const start = process.cpuUsage();
      await load(server, 4000);
      const { user, system } = process.cpuUsage(start);
      if (round > 0) costs.get(name).push((user + system) / 4000);
    }
  }
  for (const [, server] of servers) server.close();
  agent.destroy();
  return [...costs].map(([name, list]) => [name, list.sort((a, b) => a - b)[list.length >> 1]]);
}
const listen = (app) =>
  new Promise((resolve) => {
    const server = app.listen(0, () => resolve(server));
  });
const listenOwn = (app) =>
  new Promise((resolve) => {
    const server = makeServer(app).listen(0, () => resolve(server));
  });

for (const routes of [10, 1000, 10_000, 10]) {
  console.log(`${routes} routes: ${dispatchCost(routes).toFixed(2)} µs to dispatch`);
}
const results = await compare(5);
for (const [name, cost] of results) console.log(`${name}: ${cost.toFixed(0)} µs (client included)`);
