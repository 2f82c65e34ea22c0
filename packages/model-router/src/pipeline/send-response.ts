import { type Model } from "@servicekit/prisma";
import { responseTooLarge, sizeOf, withExactNumbers } from "@servicekit/prisma/internal";
import { sendJson } from "@servicekit/router";
import { jsonFormatOf, sendJsonBytes, toJsonText } from "@servicekit/router/internal";
import type { Request, RequestHandler, Response } from "express";
import { accessOf, callersResource } from "../access/request-access.js";
import { withoutUnshown } from "../access/shown-of-write.js";
import { respondsNotModified } from "../conditional/read.js";
import { rowTag, shownNames, strongTagOfBytes, textTag, weakTag, weakTagOfBytes } from "../conditional/row-tags.js";
import {
  isPlainRead,
  type ModelLocals,
  modelLocals,
  modelQuery,
  modelState,
  type ShownOfRow,
} from "../request/request-state.js";
import type { Resource } from "../resource/resource.js";
import { type Row, toJsonRows } from "../resource/values/to-json.js";
import { type ShownData, writeInSlices } from "./json-pieces.js";

/**
 * Sends what the operation (or an after hook) set in `response.locals`, unless a step has already responded.
 */
export function sendResponse(unrestricted: Resource, maxBytes: number): RequestHandler {
  // JSON may need six characters for one.
  const large = Math.min(largeBytes, maxBytes / 6);
  return (request, response) => {
    if (response.headersSent) return;
    const resource = callersResource(request, unrestricted);
    const { json } = modelState(request);
    const format = jsonFormatOf(response);
    if (json !== undefined && format === undefined)
      return sendData(request, response, resource, json, modelLocals(response).meta);
    const { data, meta } = modelLocals(response);
    if (format === undefined && isRead(request) && data !== undefined && sizeOf(data, large) > large)
      return sendLargeRead({ data, meta }, request, response, resource, maxBytes);
    const { status, text, tag } = readResponse(request, response, resource);
    if (text === undefined) {
      response.writeHead(status).end();
      return;
    }
    if (format !== undefined && isRead(request) && Buffer.byteLength(text) > maxBytes) throw responseTooLarge(maxBytes);
    if (tag !== undefined && respondsNotModified(request, response, tag, () => text)) return;
    sendJson(response, status, text);
  };
}

/** From this size on a response is written in slices. */
const largeBytes = 256 * 1024;

/** Sends rows; nothing is sent if they exceed the limit. */
async function sendLargeRead(
  shown: ShownData,
  request: Request,
  response: Response,
  resource: Resource,
  maxBytes: number,
): Promise<void> {
  const pieces = await writeInSlices(shown, resource.model, accessOf(request).view.models, maxBytes);
  const isRow = !Array.isArray(shown.data) && isPlainRead(request);
  if (isRow) {
    const text = Buffer.concat(pieces).toString();
    const { data } = JSON.parse(text) as { readonly data: Row };
    const tag = rowTag(data, text, shownNames(resource)) ?? weakTag(text);
    if (!respondsNotModified(request, response, tag, () => text)) sendJsonBytes(response, response.statusCode, pieces);
    return;
  }
  await sendPieces(request, response, pieces, weakTagOfBytes);
}

/** Sends JSON bytes with their tag, which is computed in slices. */
async function sendPieces(
  request: Request,
  response: Response,
  pieces: readonly Buffer[],
  tagOfBytes: (pieces: readonly Buffer[]) => Promise<string>,
): Promise<void> {
  if (!respondsNotModified(request, response, await tagOfBytes(pieces), () => Buffer.concat(pieces)))
    sendJsonBytes(response, response.statusCode, pieces);
}

/** A response before it is sent. */
export interface ModelResponse {
  readonly status: number;
  /** JSON; `undefined` for a response without a body. */
  readonly text?: string;
  readonly tag?: string;
}

/** The content of `response.locals` for the caller. */
export function readResponse(request: Request, response: Response, resource: Resource): ModelResponse {
  const { models } = accessOf(request).view;
  const { meta, ...locals } = modelLocals(response);
  const { shown: shownOfRow, json } = modelState(request);
  if (json !== undefined) return toResponse(request, response, resource, { data: JSON.parse(String(json)) }, meta);
  const data = shownOfRow === undefined ? locals.data : permitted(locals.data, resource.model, shownOfRow);
  // The caller may read nothing of a written row: `Location` is its path.
  if (data === undefined && locals.data !== undefined)
    return { status: response.statusCode === 200 ? 204 : response.statusCode };
  if (data === undefined && meta === undefined) return { status: 204 };
  const shown = data === undefined ? {} : { data: toJsonRows(data, resource.model, models) };
  return toResponse(request, response, resource, shown, meta);
}

function toResponse(
  request: Request,
  response: Response,
  resource: Resource,
  shown: { readonly data?: unknown },
  meta: ModelLocals["meta"],
): ModelResponse {
  const text = withExactNumbers(toJsonText(meta === undefined ? shown : { ...shown, meta }, jsonFormatOf(response)));
  const tag = tagOf(request, resource, shown.data, text);
  return { status: response.statusCode, text, ...(tag === undefined ? {} : { tag }) };
}

const openBrace = 0x7b;
const dataKey = Buffer.from('{"data":');

/** Sends JSON that the database created. */
function sendData(
  request: Request,
  response: Response,
  resource: Resource,
  json: string | Buffer,
  meta: ModelLocals["meta"],
): void | Promise<void> {
  const end = meta === undefined ? "}" : `,"meta":${toJsonText(meta)}}`;
  if (typeof json !== "string") {
    // Only reads return bytes: lists, and long rows, which are complete if no query selects fields.
    const isWhole = json[0] === openBrace && isPlainRead(request);
    const pieces = [dataKey, json, Buffer.from(end)];
    if (isWhole && !isCompleteRow(modelQuery(request).select, resource))
      return sendData(request, response, resource, json.toString(), meta);
    return sendPieces(request, response, pieces, isWhole ? strongTagOfBytes : weakTagOfBytes);
  }
  const text = `{"data":${json}${end}`;
  const isRow = !json.startsWith("[") && (!isRead(request) || isPlainRead(request));
  const strong = isRow ? jsonTag(request, json, text, resource, meta !== undefined) : undefined;
  const tag = strong ?? (isRead(request) ? weakTag(text) : undefined);
  if (tag !== undefined && respondsNotModified(request, response, tag, () => text)) return;
  sendJson(response, response.statusCode, text);
}

/** The strong tag of a row as JSON: of its bytes, if they are exactly the complete row. */
function jsonTag(
  request: Request,
  json: string,
  text: string,
  resource: Resource,
  hasMeta: boolean,
): string | undefined {
  const { select } = modelQuery(request);
  const isWhole = !hasMeta && (isRead(request) ? isCompleteRow(select, resource) : isCompleteWrite(resource));
  return isWhole ? textTag(text) : rowTag(JSON.parse(json) as Row, text, shownNames(resource));
}

function isCompleteRow(select: Readonly<Record<string, unknown>>, resource: Resource): boolean {
  const names = shownNames(resource);
  const selected = Object.keys(select);
  return selected.length === names.length && names.every((name, at) => selected[at] === name && select[name] === true);
}

/** Of a written row all visible fields are returned. */
const isCompleteWrite = ({ fields, computed, shown }: Resource): boolean =>
  shown.findOne.names.size === fields.size + computed.size;

/** What the caller may read of written rows; `undefined` if nothing. */
function permitted(data: ModelLocals["data"], model: Model, shown: ShownOfRow): ModelLocals["data"] {
  if (!Array.isArray(data)) return withoutUnshown(data, model, shown);
  const rows: readonly Row[] = (data as readonly Row[]).flatMap((row) => {
    const visible = withoutUnshown(row, model, shown);
    return visible === undefined ? [] : [visible];
  });
  return rows.length === 0 && data.length > 0 ? undefined : rows;
}

const isRead = ({ method }: Request): boolean => method === "GET" || method === "HEAD";

/** A strong tag for one complete row, a weak one for any other read, none for other writes (contract C16). */
function tagOf(request: Request, resource: Resource, data: unknown, text: string): string | undefined {
  const isRow =
    typeof data === "object" && data !== null && !Array.isArray(data) && (!isRead(request) || isPlainRead(request));
  const strong = isRow ? rowTag(data as Row, text, shownNames(resource)) : undefined;
  return strong ?? (isRead(request) ? weakTag(text) : undefined);
}
