import type { IncomingMessage } from "node:http";
import type { Database } from "@servicekit/orm";
import type { Operation } from "@servicekit/resource";
import type { Request, Response } from "express";
import { callersResource } from "../access/request-access.js";
import type { OperationContext } from "../operations/run-operation.js";
import { runPermitted } from "../operations/run-permitted.js";
import { readAnswer } from "./send-response.js";

/** What a request is answered with, as it is kept. */
export interface WrittenAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON; empty for an answer without a body. */
  readonly text: string;
}

/** Keeps the answer in the transaction of the write. */
export type KeepWritten = (transaction: Database, answer: WrittenAnswer) => Promise<void>;

/** What keeps the answer of a request; `undefined` where nobody wants it kept. */
export type KeeperOf = (request: IncomingMessage) => KeepWritten | undefined;

/** Step 6 with its answer, as it is before the after hooks, in one transaction: both stand, or neither (contract C49). */
export async function runAndKeep(
  keep: KeepWritten,
  operation: Operation,
  context: OperationContext,
  request: Request,
  response: Response,
): Promise<void> {
  await context.database.transaction(async (inside) => {
    await runPermitted(operation, { ...context, database: inside }, request, response);
    const { status, text, tag } = readAnswer(request, response, callersResource(request, context.resource));
    const headers = {
      ...(text === undefined ? {} : { "content-type": "application/json; charset=utf-8" }),
      ...(tag === undefined ? {} : { etag: tag }),
    };
    await keep(inside, { status, headers, text: text ?? "" });
  });
}
