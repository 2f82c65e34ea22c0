import { placeOfList } from "../body/list-in-data.js";
import { modelLocals, modelQuery } from "../pipeline/model-request.js";
import type { Row } from "../values/to-json.js";
import { namingItems } from "./name-items.js";
import type { RunOperation } from "./run-operation.js";

/** Creates all rows or none (contract C14). */
export const createMany: RunOperation = async ({ database, resource }, request, response) => {
  const { select } = modelQuery(request);
  const data = request.body as readonly Row[];
  const create = () => database.transaction((inside) => inside.of(resource.model).createMany({ data, select }));
  const rows = await namingItems(create, { rows: data, at: placeOfList(data) }, database, resource);
  response.status(201);
  const locals = modelLocals(response);
  locals.data = rows;
  locals.meta = { count: rows.length };
};
