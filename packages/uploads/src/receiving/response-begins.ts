import type { Response } from "express";

/** Calls back with the status when a response starts, before its reader can see it. */
export function onResponse(response: Response, report: (status: number) => void): void {
  const { writeHead } = response;
  response.writeHead = function writeHeadOfUpload(this: Response, ...args: unknown[]) {
    report(Number(args[0]));
    return Reflect.apply(writeHead, this, args) as Response;
  } as Response["writeHead"];
}
