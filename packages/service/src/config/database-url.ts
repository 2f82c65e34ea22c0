import type { ConfigObject } from "@servicekit/config-loader";
import type { StartFault } from "@servicekit/core";
import type { Environment } from "./settings.js";

const example = "Expected a URL such as postgresql://user:password@localhost:5432/name.";

/** `DATABASE_URL` is needed where `database.client` is a function, and leads to PostgreSQL (contract C38). */
export function databaseUrlFaults({ database }: ConfigObject, { DATABASE_URL: url }: Environment): StartFault[] {
  if (typeof database !== "object" || database === null || !("client" in database)) return [];
  if (typeof database.client !== "function") return [];
  const fault = (message: string): StartFault[] => [{ where: "the environment variable DATABASE_URL", message }];
  if (url === undefined || url.trim() === "") {
    return fault(`is missing: database.client is a function that takes an adapter made from it. ${example}`);
  }
  // The URL itself is not shown, for it holds a password.
  return /^postgres(ql)?:$/.test(URL.canParse(url) ? new URL(url).protocol : "")
    ? []
    : fault(`is no URL of a PostgreSQL. ${example}`);
}
