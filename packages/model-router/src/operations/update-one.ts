import { permittedWrite } from "../access/permitted-write.js";
import { ifUnchanged } from "../conditional/write.js";
import { addModelState, modelLocals, modelQuery } from "../request-state.js";
import type { Row } from "../resource/values/to-json.js";
import type { RunOperation } from "./run-operation.js";
import { seenAsJson } from "./written-json.js";

/** Changes the given fields of one row. */
export const updateOne: RunOperation = async (context, request, response) => {
  const { database, resource, writer } = context;
  const { where, select } = modelQuery(request);
  const body = request.body as Row;
  if (writer.nameRelations(resource, [body])) {
    modelLocals(response).data = await ifUnchanged(database, resource, request, (whole) =>
      permittedWrite(whole, resource, request, (inside) =>
        writer.update(request, inside, resource, where, body, select),
      ),
    );
    return;
  }
  await ifUnchanged(database, resource, request, async (whole) => {
    const [data = body] = await writer.toData(resource, [body]);
    const args = { where, data, select };
    const seen = await seenAsJson("updateOne", context, request);
    const told = seen && (await whole.of(resource.model).updateJson(args, seen));
    if (told !== undefined) return addModelState(request, { json: told.json });
    modelLocals(response).data = await permittedWrite(whole, resource, request, (inside) =>
      inside.of(resource.model).update(args),
    );
  });
};
