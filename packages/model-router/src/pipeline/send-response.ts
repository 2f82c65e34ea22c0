import { type Model } from "@servicekit/prisma";
import { responseTooLarge, sizeOf, withExactNumbers } from "@servicekit/prisma/internal";
import { sendJson } from "@servicekit/router";
import { jsonFormatOf, sendJsonBytes, toJsonText } from "@servicekit/router/internal";
import type { Request, RequestHandler, Response } from "express";
import { accessOf, callersResource } from "../access/request-access.js";
import { withoutUnshown } from "../access/shown-of-write.js";
import { answersNotModified } from "../conditional/read.js";
import { rowTag, shownNames, strongTagOfBytes, textTag, weakTag, weakTagOfBytes } from "../conditional/tags.js";
import { rawSearch } from "../request-path.js";
import { type ModelLocals, modelLocals, modelQuery, modelState, type ShownOfRow } from "../request-state.js";
import type { Resource } from "../resource/resource.js";
import { type Row, toJsonRows } from "../resource/values/to-json.js";
import { type ShownData, writeInSlices } from "./json-pieces.js";

/** Step 8: sends what the operation (or an after hook) left in `response.locals`, unless a step has answered already. */
export function sendResponse(whole: Resource, maxBytes: number): RequestHandler {
  // JSON may need six characters for one.
  const large = Math.min(largeBytes, maxBytes / 6);
  return (request, response) => {
    if (response.headersSent) return;
    const resource = callersResource(request, whole);
    const { json } = modelState(request);
    const format = jsonFormatOf(response);
    if (json !== undefined && format === undefined)
      return sendData(request, response, resource, json, modelLocals(response).meta);
    const { data, meta } = modelLocals(response);
    if (format === undefined && isRead(request) && data !== undefined && sizeOf(data, large) > large)
      return sendLargeRead({ data, meta }, request, response, resource, maxBytes);
    const { status, text, tag } = readAnswer(request, response, resource);
    if (text === undefined) {
      response.writeHead(status).end();
      return;
    }
    if (format !== undefined && isRead(request) && Buffer.byteLength(text) > maxBytes) throw responseTooLarge(maxBytes);
    if (tag !== undefined && answersNotModified(request, response, tag, () => text)) return;
    sendJson(response, status, text);
  };
}

/** From this size on a response is written in slices. */
const largeBytes = 256 * 1024;

/** Sends what was read as rows; nothing of it is sent when it is larger than the limit. */
async function sendLargeRead(
  shown: ShownData,
  request: Request,
  response: Response,
  resource: Resource,
  maxBytes: number,
): Promise<void> {
  const pieces = await writeInSlices(shown, resource.model, accessOf(request).view.models, maxBytes);
  const isRow = !Array.isArray(shown.data) && rawSearch(request) === "";
  if (isRow) {
    const text = Buffer.concat(pieces).toString();
    const { data } = JSON.parse(text) as { readonly data: Row };
    const tag = rowTag(data, text, shownNames(resource)) ?? weakTag(text);
    if (!answersNotModified(request, response, tag, () => text)) sendJsonBytes(response, response.statusCode, pieces);
    return;
  }
  await sendPieces(request, response, pieces, weakTagOfBytes);
}

/** Sends bytes of JSON with a tag of them, which is computed in slices. */
async function sendPieces(
  request: Request,
  response: Response,
  pieces: readonly Buffer[],
  tagOfBytes: (pieces: readonly Buffer[]) => Promise<string>,
): Promise<void> {
  if (!answersNotModified(request, response, await tagOfBytes(pieces), () => Buffer.concat(pieces)))
    sendJsonBytes(response, response.statusCode, pieces);
}

/** What is answered, before it is sent. */
export interface ModelAnswer {
  readonly status: number;
  /** JSON; `undefined` for an answer without a body. */
  readonly text?: string;
  readonly tag?: string;
}

/** What `response.locals` comes to for the caller. */
export function readAnswer(request: Request, response: Response, resource: Resource): ModelAnswer {
  const { models } = accessOf(request).view;
  const { meta, ...locals } = modelLocals(response);
  const { shown: shownOfRow, json } = modelState(request);
  if (json !== undefined) return toAnswer(request, response, resource, { data: JSON.parse(String(json)) }, meta);
  const data = shownOfRow === undefined ? locals.data : permitted(locals.data, resource.model, shownOfRow);
  // Of what was written the caller may read nothing: `Location` says where it is.
  if (data === undefined && locals.data !== undefined)
    return { status: response.statusCode === 200 ? 204 : response.statusCode };
  if (data === undefined && meta === undefined) return { status: 204 };
  const shown = data === undefined ? {} : { data: toJsonRows(data, resource.model, models) };
  return toAnswer(request, response, resource, shown, meta);
}

function toAnswer(
  request: Request,
  response: Response,
  resource: Resource,
  shown: { readonly data?: unknown },
  meta: ModelLocals["meta"],
): ModelAnswer {
  const text = withExactNumbers(toJsonText(meta === undefined ? shown : { ...shown, meta }, jsonFormatOf(response)));
  const tag = tagOf(request, resource, shown.data, text);
  return { status: response.statusCode, text, ...(tag === undefined ? {} : { tag }) };
}

const openBrace = 0x7b;
const dataKey = Buffer.from('{"data":');

/** Sends JSON that the database has made of what was read or written. */
function sendData(
  request: Request,
  response: Response,
  resource: Resource,
  json: string | Buffer,
  meta: ModelLocals["meta"],
): void | Promise<void> {
  const end = meta === undefined ? "}" : `,"meta":${toJsonText(meta)}}`;
  if (typeof json !== "string") {
    // Only what was read is given as bytes: lists, and long rows, which are whole where no query asks for less.
    const isWhole = json[0] === openBrace && rawSearch(request) === "";
    const pieces = [dataKey, json, Buffer.from(end)];
    if (isWhole && !isWholeRow(modelQuery(request).select, resource))
      return sendData(request, response, resource, json.toString(), meta);
    return sendPieces(request, response, pieces, isWhole ? strongTagOfBytes : weakTagOfBytes);
  }
  const text = `{"data":${json}${end}`;
  const isRow = !json.startsWith("[") && (!isRead(request) || rawSearch(request) === "");
  const strong = isRow ? jsonTag(request, json, text, resource) : undefined;
  const tag = strong ?? (isRead(request) ? weakTag(text) : undefined);
  if (tag !== undefined && answersNotModified(request, response, tag, () => text)) return;
  sendJson(response, response.statusCode, text);
}

/** The strong tag of a row that is told as JSON: of its bytes as they are, where they show the whole row and no more. */
function jsonTag(request: Request, json: string, text: string, resource: Resource): string | undefined {
  const { select } = modelQuery(request);
  const isWhole = isRead(request) ? isWholeRow(select, resource) : isWholeWrite(resource);
  return isWhole ? textTag(text) : rowTag(JSON.parse(json) as Row, text, shownNames(resource));
}

function isWholeRow(select: Readonly<Record<string, unknown>>, resource: Resource): boolean {
  const names = shownNames(resource);
  const selected = Object.keys(select);
  return selected.length === names.length && names.every((name, at) => selected[at] === name && select[name] === true);
}

/** Of a row that was written all visible fields are told. */
const isWholeWrite = ({ fields, shown }: Resource): boolean => shown.findOne.fields.size === fields.size;

/** What the caller may read of rows that were written; `undefined` when that is nothing. */
function permitted(data: ModelLocals["data"], model: Model, shown: ShownOfRow): ModelLocals["data"] {
  if (!Array.isArray(data)) return withoutUnshown(data, model, shown);
  const rows: readonly Row[] = (data as readonly Row[]).flatMap((row) => {
    const kept = withoutUnshown(row, model, shown);
    return kept === undefined ? [] : [kept];
  });
  return rows.length === 0 && data.length > 0 ? undefined : rows;
}

const isRead = ({ method }: Request): boolean => method === "GET" || method === "HEAD";

/** A strong tag for one whole row, a weak one for any other read, none for other writes (contract C16). */
function tagOf(request: Request, resource: Resource, data: unknown, text: string): string | undefined {
  const isRow =
    typeof data === "object" &&
    data !== null &&
    !Array.isArray(data) &&
    (!isRead(request) || rawSearch(request) === "");
  const strong = isRow ? rowTag(data as Row, text, shownNames(resource)) : undefined;
  return strong ?? (isRead(request) ? weakTag(text) : undefined);
}
