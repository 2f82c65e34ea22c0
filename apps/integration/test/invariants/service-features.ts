import type { DatabaseConfig, ServiceInitConfig } from "@servicekit/service";
import type { ServiceFeature } from "./features.js";

const withPrismaEngine = (config: ServiceInitConfig, database: DatabaseConfig): ServiceInitConfig => ({
  ...config,
  database: { ...database, engine: "prisma" },
});

/** Where an endpoint of the configuration receives messages, without which there is none. */
export interface WebhookOptions {
  readonly url?: string;
  readonly events?: readonly string[];
}

/** The secret of the endpoint of the configuration. */
export const configuredSecret = `whsec_${Buffer.alloc(24, "invariants").toString("base64")}`;

/** The records of the features of the whole service. */
export const serviceFeatures: readonly ServiceFeature[] = [
  {
    key: "tenant",
    share: 0.5,
    draw: () => true,
    apply: (config) => ({
      ...config,
      tenant: {
        field: "tenantId",
        of: ({ user }) => (user as { readonly tenantId?: number }).tenantId,
        shared: ["AuthRole", "AuthPermission"],
      },
    }),
  },
  {
    key: "mcp",
    share: 0.5,
    draw: () => true,
    apply: (config) => ({ ...config, mcp: { access: "write" } }),
  },
  {
    key: "dynamicAccess",
    share: 0.4,
    draw: () => true,
    apply: (config) =>
      config.authentication === undefined
        ? config
        : { ...config, authentication: { ...config.authentication, mode: "dynamic" } },
  },
  {
    key: "prismaEngine",
    share: 0.25,
    providers: ["postgresql"],
    draw: () => true,
    apply: (config) => (config.database === undefined ? config : withPrismaEngine(config, config.database)),
  },
  {
    key: "webhooks",
    // Only where messages are received: it needs recorded models, and a start with queues takes longer.
    share: 0,
    providers: ["postgresql"],
    draw: (): WebhookOptions => ({}),
    apply: (config, { url, events = [] }: WebhookOptions) => ({
      ...config,
      models: { ...config.models, Webhook: { auth: { all: true } } },
      webhooks: {
        allow: ["127.0.0.1"],
        endpoints: url === undefined ? [] : [{ url: `${url}/configuration`, events, secret: configuredSecret }],
      },
    }),
  },
];
