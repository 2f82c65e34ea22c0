export type { ModelsData } from "../models-data.js";
export { type DataModel, toModelsData } from "./to-models-data.js";
export { writeModelsModule } from "./write-models-module.js";
