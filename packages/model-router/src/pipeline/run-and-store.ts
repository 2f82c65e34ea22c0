import type { IncomingMessage } from "node:http";
import type { Database } from "@servicekit/prisma";
import type { Request, Response } from "express";
import { callersResource } from "../access/request-access.js";
import type { Resource } from "../resource/resource.js";
import { readResponse } from "./send-response.js";

/** The stored response of a request. */
export interface WrittenResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON; empty for a response without a body. */
  readonly text: string;
}

/** Stores the response of a write. */
export interface StoreWritten {
  /** Whether it is stored in the transaction of the write; otherwise it is stored after the commit. */
  readonly isInside: boolean;
  store(database: Database, response: WrittenResponse): Promise<void>;
}

/** Stores the response of a request; `undefined` if it is not stored. */
export type ResponseStoreOf = (request: IncomingMessage) => StoreWritten | undefined;

/**
 * Runs the operation and stores its response before the after hooks: in one transaction if the store supports it, so that both or neither
 * are committed; otherwise stored directly after it, before any hook can fail (contract C49).
 *
 * @param write performs the operation and sets its result
 */
export async function runAndStore(
  responseStore: StoreWritten,
  { database, resource }: { readonly database: Database; readonly resource: Resource },
  request: Request,
  response: Response,
  write: (database: Database) => Promise<void>,
): Promise<void> {
  const run = async (inside: Database): Promise<void> => {
    await write(inside);
    const { status, text, tag } = readResponse(request, response, callersResource(request, resource));
    const headers = {
      ...(text === undefined ? {} : { "content-type": "application/json; charset=utf-8" }),
      ...(tag === undefined ? {} : { etag: tag }),
    };
    await responseStore.store(inside, { status, headers, text: text ?? "" });
  };
  await (responseStore.isInside ? database.transaction(run) : run(database));
}
