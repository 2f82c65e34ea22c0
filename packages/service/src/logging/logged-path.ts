import { matchOf } from "@servicekit/router/internal";
import type { Request } from "express";
import { redactText } from "./redact-text.js";
import { isSecretName } from "./secret-name.js";

/** The path of a request for the log: that of the route if a parameter is a secret, such as `/reset/:token`. */
export function loggedPath(request: Request): string {
  const { params, template } = matchOf(request) ?? {};
  const hasSecret = Object.keys(params ?? {}).some(isSecretName);
  if (hasSecret && template !== undefined) return template;
  // As sent: inside a mounted router, `request.path` lacks the mount path.
  const [path = "/"] = request.originalUrl.split("?", 1);
  return redactText(path, 1_000);
}
