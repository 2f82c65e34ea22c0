export type { ModelsData } from "../models/models-data.js";
export { type DataModel, toModelsData } from "./to-models-data.js";
export { writeApiModule } from "./write-api-module.js";
export { writeDtosModule } from "./write-dtos-module.js";
export { writeModelsModule } from "./write-models-module.js";
export { writeSchemasModule } from "./write-schemas-module.js";
