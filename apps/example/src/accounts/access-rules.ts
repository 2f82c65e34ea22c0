import type { AuthConfig, AuthenticationConfig, ServiceConfig } from "@servicekit/service";

/** The access rules of the shop. */
export interface Accounts {
  /** Absent without accounts. */
  readonly authentication?: AuthConfig;
  readonly models: NonNullable<ServiceConfig["models"]>;
  /** The authentication of the shop's own routes; none without accounts. */
  readonly routes: { readonly bestSellers?: AuthenticationConfig; readonly shipOrder?: AuthenticationConfig };
}
