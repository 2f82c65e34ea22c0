import { relative } from "node:path";
import { fileURLToPath } from "node:url";

/** `file:line` of a function's caller, relative to the working directory if it is below it. */
export function callerPlace(below: (...args: never[]) => unknown): string {
  const trace: { stack?: string } = {};
  Error.captureStackTrace(trace, below);
  const line = trace.stack?.split("\n").find((text) => text.trimStart().startsWith("at ")) ?? "";
  const [, file = "", row = ""] = /\(?((?:file:\/\/|\/|[A-Za-z]:\\)[^()]*?):(\d+)(?::\d+)?\)?$/.exec(line) ?? [];
  if (file === "") return "an unknown place";
  const path = file.startsWith("file://") ? fileURLToPath(file) : file;
  const near = relative(process.cwd(), path);
  return `${near.startsWith("..") ? path : near}:${row}`;
}
