import { modelLocals, modelQuery } from "../pipeline/model-request.js";
import { writeKey } from "../resource-key.js";
import type { RunOperation } from "./run-operation.js";

/** Creates one row and says where it is (contract C2). */
export const createOne: RunOperation = async ({ database, resource }, request, response) => {
  const { select } = modelQuery(request);
  const row = await database.of(resource.model).create({ data: request.body, select });
  response.status(201);
  response.setHeader("Location", `${request.baseUrl}/${resource.path}/${writeKey(resource.model, row)}`);
  modelLocals(response).data = row;
};
