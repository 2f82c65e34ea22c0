import { permittedWrite } from "../access/permitted-write.js";
import { modelLocals, modelQuery } from "../request-state.js";
import { placeOfList } from "../resource/body/list-in-data.js";
import type { Row } from "../resource/values/to-json.js";
import { namingItems } from "./name-items.js";
import type { RunOperation } from "./run-operation.js";
import { writeEach } from "./write-each.js";
import { writtenJson } from "./written-json.js";

/** Creates all rows or none (contract C14); those without relations in one statement, or fifty to one. */
export const createMany: RunOperation = async (context, request, response) => {
  const { database, outside, resource, writer } = context;
  const { select } = modelQuery(request);
  const bodies = request.body as readonly Row[];
  const at = placeOfList(bodies);
  const createAll = async () => {
    const data = await writer.toData(resource, bodies);
    const create = () =>
      permittedWrite(database, resource, request, (inside) => inside.of(resource.model).createMany({ data, select }));
    const items = { rows: data, at };
    const isTold = await writtenJson("createMany", context, request, response, (seen) =>
      namingItems(() => database.of(resource.model).createManyJson({ data, select }, seen), items, outside, resource),
    );
    return isTold ? undefined : namingItems(create, items, outside, resource);
  };
  const createEach = () => {
    const items = bodies.map((body, index) => ({ body, at: [...at, index] }));
    return writeEach(context, request, items);
  };
  const rows = writer.nameRelations(resource, bodies) ? await createEach() : await createAll();
  response.status(201);
  if (rows === undefined) return;
  const locals = modelLocals(response);
  locals.data = rows;
  locals.meta = { count: rows.length };
};
