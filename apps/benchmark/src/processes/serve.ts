import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { serveChanges } from "../changes/by-service.js";
import { serveCostsByService } from "../costs/by-service.js";
import { serveLoginsByService } from "../logins/by-service.js";
import { pinProcess } from "../measure/pin.js";
import { serveMetrics } from "../metrics/by-service.js";
import { serveOverloaded } from "../overload/by-service.js";
import { servePeerByService } from "../peers/by-service.js";
import { serveQuotesByExpress } from "../quotes/by-express.js";
import { serveQuotesByRouter } from "../quotes/by-router.js";
import { serveQuotesByService } from "../quotes/by-service.js";
import { serveSessions } from "../sessions/by-service.js";
import { serveStreams } from "../streams/by-service.js";
import { serveUploadsByMulter } from "../uploads/by-multer.js";
import { serveUploadsByService } from "../uploads/by-service.js";
import { reportUsage, serveParent } from "./parent-channel.js";
import { reportFromPrimary } from "./primary-usage.js";

/** The servers of this program, each in a separate process. */
const servers: Readonly<Record<string, (folder: string) => Server | Promise<Server>>> = {
  "quotes by service": () => serveQuotesByService(true),
  "quotes by service, plain server": () => serveQuotesByService(false),
  "quotes by router": serveQuotesByRouter,
  "quotes by Express": serveQuotesByExpress,
  "metrics: none": () => serveMetrics("none"),
  "metrics: metrics": () => serveMetrics("metrics"),
  "metrics: traces": () => serveMetrics("traces"),
  "changes: none": () => serveChanges(false),
  "changes: recorded": () => serveChanges(true),
  streams: serveStreams,
  "costs by service": serveCostsByService,
  "logins by service": serveLoginsByService,
  "sessions: with": (example) => serveSessions(example, true),
  "sessions: without": (example) => serveSessions(example, false),
  "overload: no shedding": (example) => serveOverloaded(example, false),
  "overload: shedding": (example) => serveOverloaded(example, true),
  "peer: service": () => servePeerByService("auto"),
  "peer: service, two workers": () => {
    reportFromPrimary(2);
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
  "sqlite: service": async () => (await import("../sqlite/by-service.js")).serveSqliteByService(),
  "sqlite: Express": async () => (await import("../sqlite/by-express.js")).serveSqliteByExpress(),
  "mysql: service": async () => (await import("../mysql/by-service.js")).serveMysqlByService(),
  "mysql: Express": async () => (await import("../mysql/by-express.js")).serveMysqlByExpress(),
  "uploads by service": serveUploadsByService,
  "uploads by multer": serveUploadsByMulter,
};

pinProcess();
const [name = "", folder = ""] = process.argv.slice(2);
const make = servers[name];
if (make === undefined) throw new Error(`There is no server "${name}".`);
const server = await make(folder);
// The same keep-alive time as the service.
server.keepAliveTimeout = 72_000;
// A service that was started like in production already listens.
if (!server.listening) await once(server.listen(0, "127.0.0.1"), "listening");
serveParent((server.address() as AddressInfo).port, reportUsage);
