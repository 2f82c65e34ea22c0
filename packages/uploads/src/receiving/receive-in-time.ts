import { callerOf, identityOf } from "@servicekit/router";
import { clientAddress } from "@servicekit/router/internal";
import type { Request, Response } from "express";
import { type ReceiveContext, type ReceivedUpload, receiveUpload } from "./receive-upload.js";
import { requestEnd } from "./request-end.js";

/**
 * Receives an upload unless its request ends before (contract C35).
 *
 * @returns `undefined` if it has a response already
 * @throws {HttpError}
 */
export async function receiveInTime(
  request: Request,
  response: Response,
  context: ReceiveContext,
): Promise<ReceivedUpload | undefined> {
  const signal = requestEnd(response);
  try {
    const caller = callerOf(request);
    const owner = caller && identityOf(caller);
    return await receiveUpload(request, response, context, { client: clientAddress(request), owner, signal });
  } catch (error) {
    if (error === signal.reason && response.headersSent) return undefined;
    throw error;
  }
}
