import type { Request, Response } from "express";
import { permittedWrite } from "../access/permitted-write.js";
import { addModelState, modelLocals, modelQuery } from "../request-state.js";
import { writeKey } from "../resource/key.js";
import type { Row } from "../resource/values/to-json.js";
import type { OperationContext, RunOperation } from "./run-operation.js";
import { seenAsJson } from "./written-json.js";

/** Creates one row and says where it is (contract C2). */
export const createOne: RunOperation = async (context, request, response) => {
  const { resource } = context;
  const key = await create(context, request, response);
  response.status(201);
  response.setHeader("Location", `${request.baseUrl}/${resource.path}/${writeKey(resource.model, key)}`);
};

/** @returns the row, or as much of it as names it */
async function create(context: OperationContext, request: Request, response: Response): Promise<Row> {
  const { database, resource, writer } = context;
  const { model } = resource;
  const { select } = modelQuery(request);
  const body = request.body as Row;
  const keep = (row: Row): Row => (modelLocals(response).data = row);
  if (writer.nameRelations(resource, [body])) {
    const write = (inside: typeof database) => writer.create(request, inside, resource, body, select);
    return keep(await permittedWrite(database, resource, request, write));
  }
  const [data = body] = await writer.toData(resource, [body]);
  const seen = await seenAsJson("createOne", context, request);
  const told = seen && (await database.of(model).createJson({ data, select }, seen));
  if (told === undefined) {
    return keep(
      await permittedWrite(database, resource, request, (inside) => inside.of(model).create({ data, select })),
    );
  }
  addModelState(request, { json: told.json });
  return told.key;
}
