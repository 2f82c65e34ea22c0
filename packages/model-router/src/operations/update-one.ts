import { permittedWrite } from "../access/permitted-write.js";
import { ifUnchanged } from "../conditional/write.js";
import { modelQuery } from "../request/request-state.js";
import type { Row } from "../resource/values/to-json.js";
import type { RunOperation } from "./operation-context.js";
import { seenAsJson } from "./seen-as-json.js";
import { setRow } from "./set-result.js";

/** Updates the given fields of one row. */
export const updateOne: RunOperation = async (context, request, response) => {
  const { database, resource, writer } = context;
  const { where, select } = modelQuery(request);
  const body = request.body as Row;
  const updated = await ifUnchanged(database, resource, request, async (transaction) => {
    if (writer.nameRelations(resource, [body])) {
      return permittedWrite(transaction, resource, request, async (inside) => ({
        rows: [await writer.update(request, inside, resource, where, body, select)],
      }));
    }
    const [data = body] = await writer.toData(resource, [body]);
    const seen = await seenAsJson("updateOne", context, request);
    return permittedWrite(transaction, resource, request, (inside) =>
      inside.of(resource.model).execute({ operation: "update", args: { where, data, select } }, seen),
    );
  });
  setRow(updated, request, response);
};
