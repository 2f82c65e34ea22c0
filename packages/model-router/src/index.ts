export { type ModelRouterOptions, makeModelRouter } from "./model-router.js";
export { type Operation, operationNames } from "./operations/operation.js";
export { resourcePath } from "./resource-path.js";
export {
  defaultModelRouterSettings,
  type ModelConfig,
  type ModelRouterSettings,
  type PageSize,
} from "./settings.js";
