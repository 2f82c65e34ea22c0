import express, { type Express, type Request } from "express";
import { setQuery } from "../request/request-query.js";
import { endAtOnce } from "../response/end-at-once.js";
import { jsonAtOnce } from "../response/json-at-once.js";
import { ServiceRouter } from "../routers/service-router.js";

const expressQuery = Object.getOwnPropertyDescriptor(express.request, "query") ?? {};
const expressIp = Object.getOwnPropertyDescriptor(express.request, "ip") ?? {};

/**
 * Makes an Express application whose own router is a `ServiceRouter`, without the `X-Powered-By` header, and whose
 * `request.query` can be assigned.
 */
export function makeApp(): Express {
  const app = express();
  app.disable("x-powered-by");
  let router: ServiceRouter | undefined;
  Object.defineProperty(app, "router", {
    configurable: true,
    enumerable: true,
    get() {
      // As late as Express's own, so that the two settings can still be made.
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
      // Where no proxy is trusted, no header says anything of the address.
      return this.app.get("trust proxy") === false ? this.socket.remoteAddress : expressIp.get?.call(this);
    },
  });
  endAtOnce(app.response);
  jsonAtOnce(app.response);
  return app;
}
