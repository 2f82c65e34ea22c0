import type { Result } from "@servicekit/prisma";
import { permittedWrite } from "../access/permitted-write.js";
import { modelQuery } from "../request/request-state.js";
import { placeOfList } from "../resource/body/list-in-data.js";
import type { Row } from "../resource/values/to-json.js";
import { namingItems } from "./name-items.js";
import type { RunOperation } from "./operation-context.js";
import { seenAsJson } from "./seen-as-json.js";
import { setRows } from "./set-result.js";
import { writeEach } from "./write-each.js";

/** Creates all rows or none (contract C14); those without relations in one statement, or fifty per statement. */
export const createMany: RunOperation = async (context, request, response) => {
  const { database, outside, resource, writer, deletions } = context;
  const { select } = modelQuery(request);
  const bodies = request.body as readonly Row[];
  const at = placeOfList(bodies);
  const createAll = async (): Promise<Result> => {
    const data = await writer.toNewData(request, resource, bodies);
    const seen = await seenAsJson("createMany", context, request);
    const create = () =>
      permittedWrite(database, resource, request, (inside) =>
        inside.of(resource.model).execute({ operation: "createMany", args: { data, select } }, seen),
      );
    return namingItems(create, { rows: data, at }, { database: outside, deletions }, resource);
  };
  const createEach = () => {
    const items = bodies.map((body, index) => ({ body, at: [...at, index] }));
    return writeEach(context, request, items);
  };
  const result = await (writer.nameRelations(resource, bodies) ? createEach() : createAll());
  response.status(201);
  setRows(result, request, response);
};
