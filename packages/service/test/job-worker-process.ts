import service from "../src/index.js";
import { PrismaClient } from "./generated/workshop/client/client.js";
import { models } from "./generated/workshop/models.js";

/** The program of `job-worker.slow.test.ts`. */
await service.init({
  database: { models, client: ({ adapter }) => new PrismaClient({ adapter }) },
  models: { Note: {} },
});
