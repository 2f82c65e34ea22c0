import type { Auth } from "@servicekit/auth";
import type { Idempotency } from "@servicekit/idempotency";
import type { ModelRouter } from "@servicekit/model-router";
import type { BoundRoutes, DocumentObject, RouteTable } from "@servicekit/router";
import type { Uploads } from "@servicekit/uploads";
import type { ServiceSettings } from "../config/settings.js";
import type { BackgroundSources } from "./background-state.js";
import type { ReadinessCheck } from "./health-router.js";

/** The dependencies of the built-in routers besides the settings. */
export interface RouterContext extends BackgroundSources {
  readonly settings: ServiceSettings;
  readonly checks: readonly ReadinessCheck[];
  readonly isDraining: () => boolean;
  /** The mount path of the service in a host application; empty for a standalone service. */
  readonly mountPath: () => string;
  /** All routes of the application. */
  readonly table: RouteTable;
  /** The errors that the steps of a route can return. */
  readonly errorsOf: BoundRoutes["errorsOf"];
  /** The headers that the steps of a route read. */
  readonly parametersOf: BoundRoutes["parametersOf"];
  /** The handling of idempotent requests; `undefined` if it is off. */
  readonly idempotency: Idempotency | undefined;
  readonly auth: Auth | undefined;
  /** The messages of webhooks as path items of the OpenAPI document, by the name of their event. */
  readonly webhooks: Readonly<Record<string, DocumentObject>> | undefined;
  readonly uploads: Uploads;
  /** The generated routes; `undefined` without a database. */
  readonly modelRouter: ModelRouter | undefined;
}
