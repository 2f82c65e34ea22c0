import path from "node:path";
import service, { StartError } from "@servicekit/service";
import { makeShopConfig } from "./app.js";
import { startShop } from "./start-shop.js";

const directory = path.join(import.meta.dirname, "..");
const say = (line: string) => console.log(line);

// A command, such as `openapi --out <file>` or `routes`, is answered by the service itself, and needs no database.
const started = /^[a-z]/.test(process.argv[2] ?? "")
  ? service.init(makeShopConfig(), { directory })
  : startShop({ directory, environment: process.env, say });
started.catch((error: unknown) => {
  console.error(error instanceof StartError ? error.message : error);
  process.exitCode = 1;
});
