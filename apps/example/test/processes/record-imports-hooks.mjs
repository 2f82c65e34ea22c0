import { appendFileSync } from "node:fs";

let file;

export function initialize(data) {
  file = data;
}

export async function load(url, context, nextLoad) {
  appendFileSync(file, `${url}\n`);
  return nextLoad(url, context);
}
