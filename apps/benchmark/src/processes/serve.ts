import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { serveCostsByService } from "../costs/by-service.js";
import { serveFigures } from "../figures/by-service.js";
import { serveLoginsByService } from "../logins/by-service.js";
import { pinAsAsked } from "../measure/pin.js";
import { serveOverloaded } from "../overload/by-service.js";
import { servePeerByService } from "../peers/by-service.js";
import { serveQuotesByHand } from "../quotes/by-hand.js";
import { serveQuotesByRouter } from "../quotes/by-router.js";
import { serveQuotesByService } from "../quotes/by-service.js";
import { serveSessions } from "../sessions/by-service.js";
import { serveShopByHand } from "../shop/by-hand.js";
import { serveShopByService } from "../shop/by-service.js";
import { serveUploadsByHand } from "../uploads/by-hand.js";
import { serveUploadsByService } from "../uploads/by-service.js";
import { answerByPrimary } from "./answer-by-primary.js";
import { answerParent, tellUse } from "./answer-parent.js";

/** What this program can serve, each in a process of its own. */
const servers: Readonly<Record<string, (folder: string) => Server | Promise<Server>>> = {
  "shop by service": () => serveShopByService("auto"),
  "shop by service, reads by Prisma": () => serveShopByService("prisma"),
  "shop by hand": serveShopByHand,
  "quotes by service": () => serveQuotesByService(true),
  "quotes by service, plain server": () => serveQuotesByService(false),
  "quotes by router": serveQuotesByRouter,
  "quotes by hand": serveQuotesByHand,
  "figures: none": () => serveFigures("none"),
  "figures: metrics": () => serveFigures("metrics"),
  "figures: traces": () => serveFigures("traces"),
  "costs by service": serveCostsByService,
  "logins by service": serveLoginsByService,
  "sessions: with": (example) => serveSessions(example, true),
  "sessions: without": (example) => serveSessions(example, false),
  "overload: as it is": (example) => serveOverloaded(example, false),
  "overload: shedding": (example) => serveOverloaded(example, true),
  "peer: service": () => servePeerByService("auto"),
  "peer: service, two workers": () => {
    answerByPrimary(2);
    return servePeerByService("auto", 2);
  },
  "peer: service, reads by Prisma": () => servePeerByService("prisma"),
  "peer: pg": async () => (await import("../peers/by-pg.js")).serveByPg(),
  "peer: Express": async () => (await import("../peers/by-express.js")).serveBareExpress(),
  "peer: Express, same middlewares": async () => (await import("../peers/by-express.js")).serveFullExpress(),
  "peer: Fastify": async () => (await import("../peers/by-fastify.js")).serveFastify(),
  "peer: NestJS": async () => (await import("../peers/by-nest.js")).serveNest(),
  "peer: ZenStack RPC": async () => (await import("../peers/by-zenstack.js")).serveZenStack("rpc"),
  "peer: ZenStack REST": async () => (await import("../peers/by-zenstack.js")).serveZenStack("rest"),
  "uploads by service": serveUploadsByService,
  "uploads by hand": serveUploadsByHand,
};

pinAsAsked();
const [name = "", folder = ""] = process.argv.slice(2);
const make = servers[name];
if (make === undefined) throw new Error(`There is no server "${name}".`);
const server = await make(folder);
// The service keeps idle connections as long.
server.keepAliveTimeout = 72_000;
// A service that was started as in production listens already.
if (!server.listening) await once(server.listen(0, "127.0.0.1"), "listening");
answerParent((server.address() as AddressInfo).port, tellUse);
