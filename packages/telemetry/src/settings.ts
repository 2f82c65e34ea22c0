import type { AuthenticationConfig } from "@servicekit/router";
import { z } from "zod";

/** The block `metrics` (contract C69): metrics in the text format of Prometheus, at a port or at a path. */
export interface MetricsConfig {
  /** A separate port that serves only `/metrics`, on the `host` of the service. */
  readonly port?: number;
  /** A full path of the service, such as `/metrics`; `auth` is then required. */
  readonly path?: string;
  /** Who may read `path`: `false` everyone, `true` signed-in users, a list these roles. */
  readonly auth?: boolean | readonly string[];
}

const oneOf = "Set where the metrics are served: port, for a separate port, or path, for a path of the service.";

/** The schema of the block `metrics`. */
export const metricsSchema = z
  .strictObject({
    port: z.int().min(0).max(65535).optional(),
    path: z
      .string()
      .regex(/^(\/[\w.~-]+)+$/)
      .meta({ expected: "a path such as /metrics" })
      .optional(),
    auth: z
      .union([z.boolean(), z.array(z.string())])
      .meta({ expected: "true, false or a list of roles" })
      .optional(),
  })
  .check(({ value, issues }) => {
    const { port, path, auth } = value;
    const issue = (key: string[], message: string): void => {
      issues.push({ code: "custom", path: key, message, input: value });
    };
    if ((port === undefined) === (path === undefined)) issue([], oneOf);
    else if (path !== undefined && auth === undefined) {
      issue(["auth"], "is missing: set who may read the metrics at metrics.path: true, false or a list of roles.");
    } else if (port !== undefined && auth !== undefined) {
      issue(["auth"], "applies to metrics.path only: any client that reaches the port can read the metrics.");
    }
  });

/** Where the metrics are served. */
export type MetricsSettings =
  | { readonly port: number }
  | { readonly path: string; readonly authentication: AuthenticationConfig };

/** Validates the block `metrics`; without it metrics are off. */
export function readMetricsSettings(config: MetricsConfig | undefined): MetricsSettings | undefined {
  if (config?.port !== undefined) return { port: config.port };
  if (config?.path === undefined) return undefined;
  const { path, auth = true } = config;
  return {
    path,
    authentication: typeof auth === "object" ? { resource: "metrics", action: "View", rule: auth } : auth,
  };
}
