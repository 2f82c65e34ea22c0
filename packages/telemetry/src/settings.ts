import type { AuthenticationConfig } from "@servicekit/router";
import { z } from "zod";

/** The block `metrics` (contract C69): figures in the text format of Prometheus, at a port or at a path. */
export interface MetricsConfig {
  /** A port of its own, which has `/metrics` and nothing else; at the `host` of the service. */
  readonly port?: number;
  /** A whole path of the service, such as `/metrics`; then `auth` says who may read it. */
  readonly path?: string;
  /** Who may read `path`: `false` everyone, `true` who is signed in, a list these roles. */
  readonly auth?: boolean | readonly string[];
}

const oneOf = "Say where the figures are: port, for a port of its own, or path, for a path of the service.";

/** The shape of the block `metrics`. */
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
    const fault = (key: string[], message: string): void => {
      issues.push({ code: "custom", path: key, message, input: value });
    };
    if ((port === undefined) === (path === undefined)) fault([], oneOf);
    else if (path !== undefined && auth === undefined) {
      fault(["auth"], "is missing: say who may read the figures at metrics.path: true, false or a list of roles.");
    } else if (port !== undefined && auth !== undefined) {
      fault(["auth"], "is for metrics.path: whoever reaches the port reads the figures.");
    }
  });

/** Where the figures are. */
export type MetricsSettings =
  | { readonly port: number }
  | { readonly path: string; readonly authentication: AuthenticationConfig };

/** Completes the block `metrics`; without it there are no figures. */
export function readMetricsSettings(config: MetricsConfig | undefined): MetricsSettings | undefined {
  if (config?.port !== undefined) return { port: config.port };
  if (config?.path === undefined) return undefined;
  const { path, auth = true } = config;
  return {
    path,
    authentication: typeof auth === "object" ? { resource: "metrics", action: "View", rule: auth } : auth,
  };
}
