import express, { type Express, type Request } from "express";
import { setQuery } from "../request/request-query.js";
import { endImmediately } from "../response/end-immediately.js";
import { sendJsonSynchronously } from "../response/send-json-synchronously.js";
import { ServiceRouter } from "../routers/service-router.js";

const expressQuery = Object.getOwnPropertyDescriptor(express.request, "query") ?? {};
const expressIp = Object.getOwnPropertyDescriptor(express.request, "ip") ?? {};

/**
 * Creates an Express application whose own router is a `ServiceRouter`, without the `X-Powered-By` header, and with an
 * assignable `request.query`.
 */
export function makeApp(): Express {
  const app = express();
  app.disable("x-powered-by");
  let router: ServiceRouter | undefined;
  Object.defineProperty(app, "router", {
    configurable: true,
    enumerable: true,
    get() {
      // As late as Express's own, so that the two settings can still be changed.
      router ??= ServiceRouter({
        caseSensitive: app.enabled("case sensitive routing"),
        strict: app.enabled("strict routing"),
      });
      return router;
    },
  });
  Object.defineProperty(app.request, "query", {
    ...expressQuery,
    set(value: unknown) {
      setQuery(this, value);
    },
  });
  Object.defineProperty(app.request, "ip", {
    ...expressIp,
    get(this: Request): string | undefined {
      // Without a trusted proxy, no header affects the address.
      return this.app.get("trust proxy") === false ? this.socket.remoteAddress : expressIp.get?.call(this);
    },
  });
  endImmediately(app.response);
  sendJsonSynchronously(app.response);
  return app;
}
