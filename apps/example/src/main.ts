import path from "node:path";
import service, { StartupError } from "@servicekit/service";
import { makeShopConfig } from "./app.js";
import { startShop } from "./start-shop.js";

const directory = path.join(import.meta.dirname, "..");
const describe = (line: string) => console.log(line);

// A command, such as `openapi --out <file>` or `routes`, is handled by the service itself, and needs no database.
const started = /^[a-z]/.test(process.argv[2] ?? "")
  ? service.init(makeShopConfig(), { directory })
  : startShop({ directory, environment: process.env, describe });
started.catch((error: unknown) => {
  console.error(error instanceof StartupError ? error.message : error);
  process.exitCode = 1;
});
