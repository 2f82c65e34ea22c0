import type { Response } from "express";

/** Calls back as an answer begins, with its status, so that who reads it finds done what is done then. */
export function onAnswer(response: Response, tell: (status: number) => void): void {
  const { writeHead } = response;
  response.writeHead = function writeHeadOfUpload(this: Response, ...args: unknown[]) {
    tell(Number(args[0]));
    return Reflect.apply(writeHead, this, args) as Response;
  } as Response["writeHead"];
}
