export type { Allows } from "./access.js";
export { type AuthAction, type AuthActionsOptions, listAuthActions } from "./auth-actions.js";
export type {
  AvailableAccess,
  AvailableField,
  AvailableOperation,
  AvailableResource,
  AvailableResourcesOptions,
  VisibleModel,
} from "./available-resources.js";
export { type AvailableRoute, type AvailableRoutesOptions, makeAvailableRoutes } from "./available-routes.js";
