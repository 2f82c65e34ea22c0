import path from "node:path";
import { StartError } from "@servicekit/service";
import { startShop } from "./start-shop.js";

const directory = path.join(import.meta.dirname, "..");
const say = (line: string) => console.log(line);

startShop({ directory, environment: process.env, say }).catch((error: unknown) => {
  console.error(error instanceof StartError ? error.message : error);
  process.exitCode = 1;
});
