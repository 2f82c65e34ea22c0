import { writeKey } from "@servicekit/resource";
import { permittedWrite } from "../access/permitted-write.js";
import { modelLocals, modelQuery } from "../request-state.js";
import type { RunOperation } from "./run-operation.js";

/** Creates one row and says where it is (contract C2). */
export const createOne: RunOperation = async ({ database, resource, writer }, request, response) => {
  const { select } = modelQuery(request);
  const row = await permittedWrite(database, resource, request, (inside) =>
    writer.create(request, inside, resource, request.body, select),
  );
  response.status(201);
  response.setHeader("Location", `${request.baseUrl}/${resource.path}/${writeKey(resource.model, row)}`);
  modelLocals(response).data = row;
};
