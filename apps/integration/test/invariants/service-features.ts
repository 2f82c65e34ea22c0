import type { DatabaseConfig, ServiceInitConfig } from "@servicekit/service";
import type { ServiceFeature } from "./features.js";

const withPrismaEngine = (config: ServiceInitConfig, database: DatabaseConfig): ServiceInitConfig => ({
  ...config,
  database: { ...database, engine: "prisma" },
});

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
];
