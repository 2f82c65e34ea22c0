import type { Result } from "@servicekit/prisma";
import { foundRows } from "@servicekit/prisma/internal";
import type { Request, Response } from "express";
import { addModelState, modelLocals } from "../request/request-state.js";
import type { Row } from "../resource/values/to-json.js";

/**
 * Sets the row of a result for the response.
 *
 * @returns the row, or the values of its key
 */
export function setRow(result: Result, request: Request, response: Response): Row {
  if ("json" in result) {
    addModelState(request, { json: result.json });
    return result.key ?? {};
  }
  const [row] = result.rows;
  if (row === undefined) throw new TypeError("There is no row to show.");
  modelLocals(response).data = row;
  return row;
}

/** Sets the rows of a bulk write for the response, with their number. */
export function setRows(result: Result, request: Request, response: Response): void {
  const locals = modelLocals(response);
  if ("json" in result) addModelState(request, { json: result.json });
  else locals.data = result.rows;
  locals.meta = { count: foundRows(result) };
}
