export type { Allows } from "./access.js";
export { type AuthAction, type AuthActionsOptions, listAuthActions, makeAuthActions } from "./auth-actions.js";
export {
  type AvailableAccess,
  type AvailableField,
  type AvailableOperation,
  type AvailableResource,
  type AvailableResourcesOptions,
  makeAvailableResources,
  type VisibleModel,
} from "./available-resources.js";
export { type AvailableRoute, type AvailableRoutesOptions, makeAvailableRoutes } from "./available-routes.js";
