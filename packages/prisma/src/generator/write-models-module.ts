import type { ModelsData } from "../models-data.js";

/** The text of a TypeScript module that exports the data as `models`. It imports nothing. */
export function writeModelsModule(data: ModelsData): string {
  const lines = (values: readonly unknown[], indent: string): string =>
    values.map((value) => `${indent}${JSON.stringify(value)},\n`).join("");
  const models = data.models.map(({ fields, keys, ...model }) => {
    const head = JSON.stringify(model).slice(1, -1);
    return `    {\n      ${head},\n      "fields": [\n${lines(fields, "        ")}      ],\n      "keys": [\n${lines(keys, "        ")}      ],\n    },\n`;
  });
  return [
    "// Written by servicekit-prisma from the Prisma schema: change the schema and generate again.\n",
    "export const models = {\n",
    `  "format": ${data.format},\n`,
    `  "enums": [\n${lines(data.enums, "    ")}  ],\n`,
    `  "models": [\n${models.join("")}  ],\n`,
    "} as const;\n",
  ].join("");
}
