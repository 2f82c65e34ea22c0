import type { Models } from "@servicekit/orm";
import { sendJson } from "@servicekit/router";
import type { RequestHandler } from "express";
import type { Resource } from "../resource.js";
import { type Row, toJsonRow } from "../values/to-json.js";
import { modelLocals } from "./model-request.js";

/** Step 8: sends what the operation (or an after hook) left in `response.locals`, unless a step has answered already. */
export function sendResponse(resource: Resource, models: Models): RequestHandler {
  const { model } = resource;
  const show = (row: Row) => toJsonRow(row, model, models);
  return (_request, response) => {
    if (response.headersSent) return;
    const { data, meta } = modelLocals(response);
    if (data === undefined && meta === undefined) {
      response.writeHead(204).end();
      return;
    }
    const shown = data === undefined ? {} : { data: Array.isArray(data) ? data.map(show) : show(data as Row) };
    sendJson(response, response.statusCode, meta === undefined ? shown : { ...shown, meta });
  };
}
