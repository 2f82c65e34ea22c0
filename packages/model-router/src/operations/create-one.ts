import { writeKey } from "@servicekit/prisma/internal";
import type { Request, Response } from "express";
import { permittedWrite } from "../access/permitted-write.js";
import { modelQuery } from "../request/request-state.js";
import type { Row } from "../resource/values/to-json.js";
import type { OperationContext, RunOperation } from "./operation-context.js";
import { seenAsJson } from "./seen-as-json.js";
import { setRow } from "./set-result.js";

/** Creates one row and sets its location (contract C2). */
export const createOne: RunOperation = async (context, request, response) => {
  const { resource } = context;
  const key = await create(context, request, response);
  response.status(201);
  response.setHeader("Location", `${request.baseUrl}/${resource.path}/${writeKey(resource.model, key)}`);
};

/** @returns the row, or as much of it as names it */
async function create(context: OperationContext, request: Request, response: Response): Promise<Row> {
  const { database, resource, writer } = context;
  const { select } = modelQuery(request);
  const body = request.body as Row;
  if (writer.nameRelations(resource, [body])) {
    const result = await permittedWrite(database, resource, request, async (inside) => ({
      rows: [await writer.create(request, inside, resource, body, select)],
    }));
    return setRow(result, request, response);
  }
  const [data = body] = await writer.toNewData(request, resource, [body]);
  const seen = await seenAsJson("createOne", context, request);
  const result = await permittedWrite(database, resource, request, (inside) =>
    inside.of(resource.model).execute({ operation: "create", args: { data, select } }, seen),
  );
  return setRow(result, request, response);
}
