import type { IncomingMessage } from "node:http";
import type { Database } from "@servicekit/prisma";
import type { Request, Response } from "express";
import { callersResource } from "../access/request-access.js";
import type { OperationContext } from "../operations/run-operation.js";
import { runPermitted } from "../operations/run-permitted.js";
import type { Operation } from "../resource/operation.js";
import { readAnswer } from "./send-response.js";

/** What a request is answered with, as it is kept. */
export interface WrittenAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON; empty for an answer without a body. */
  readonly text: string;
}

/** What keeps the answer of a write. */
export interface KeepWritten {
  /** Whether it is kept in the transaction of the write; otherwise it is kept as soon as that is committed. */
  readonly isInside: boolean;
  keep(database: Database, answer: WrittenAnswer): Promise<void>;
}

/** What keeps the answer of a request; `undefined` where nobody wants it kept. */
export type KeeperOf = (request: IncomingMessage) => KeepWritten | undefined;

/**
 * Step 6 with its answer, as it is before the after hooks: in one transaction, where the keeper can, so that both stand or
 * neither; otherwise one right behind the other, before any hook can fail (contract C49).
 */
export async function runAndKeep(
  keeper: KeepWritten,
  operation: Operation,
  context: OperationContext,
  request: Request,
  response: Response,
): Promise<void> {
  const { database } = context;
  const run = async (inside: Database): Promise<void> => {
    await runPermitted(operation, { ...context, database: inside }, request, response);
    const { status, text, tag } = readAnswer(request, response, callersResource(request, context.resource));
    const headers = {
      ...(text === undefined ? {} : { "content-type": "application/json; charset=utf-8" }),
      ...(tag === undefined ? {} : { etag: tag }),
    };
    await keeper.keep(inside, { status, headers, text: text ?? "" });
  };
  await (keeper.isInside ? database.transaction(run) : run(database));
}
