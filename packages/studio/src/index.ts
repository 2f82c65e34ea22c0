export { openStudio, type ServiceInfo } from "./open-studio.js";
export type { StudioInfo } from "./page.js";
export { makeStudioRouter, type StudioOptions } from "./studio-router.js";
