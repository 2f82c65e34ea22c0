export { openStudio, type ServiceFacts } from "./open-studio.js";
export type { StudioFacts } from "./page.js";
export { makeStudioRouter, type StudioOptions } from "./studio-router.js";
