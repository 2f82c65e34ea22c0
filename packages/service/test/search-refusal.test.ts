import type { ModelsData } from "@servicekit/prisma";
import { describe, expect, it } from "vitest";
import { capabilitiesOf } from "../../prisma/src/providers/capabilities.js";
import { createService } from "../src/create-service.js";
import { alone } from "./start.js";

/** An address of each provider where nothing listens. */
const urls = {
  postgresql: "postgresql://root@127.0.0.1:1/none",
  sqlite: "file:./none.db",
  mysql: "mysql://root@127.0.0.1:1/none",
} as const;

const searches = [
  { fields: ["text"] },
  { mode: "fullText", fields: ["text"], language: "english" },
  { mode: "similarity", fields: ["text"] },
] as const;

function start(provider: keyof typeof urls, search: object): Promise<string> {
  const models: ModelsData = {
    format: 1,
    ...(provider === "postgresql" ? {} : { provider }),
    enums: [],
    models: [
      {
        name: "Note",
        fields: [
          { kind: "scalar", type: "Int", name: "id" },
          { kind: "scalar", type: "String", name: "text" },
        ],
        keys: [{ kind: "id", fields: ["id"] }],
      },
    ],
  };
  const client = () => ({ note: {}, $connect: async () => undefined, $disconnect: async () => undefined }) as never;
  return createService(
    { database: { models, client }, models: { Note: { search } } as never },
    { ...alone, environment: { NODE_ENV: "test", DATABASE_URL: urls[provider] } },
  ).then(
    async ({ close }) => {
      await close();
      return "started";
    },
    (error: Error) => error.message,
  );
}

describe.each(Object.keys(urls) as (keyof typeof urls)[])(
  "C103, C113, C119 a search with an index on %s",
  (provider) => {
    const { name, textSearch } = capabilitiesOf(provider);

    it.each(searches)("$mode of $fields starts only where the database has the index", async (search) => {
      expect(await start(provider, search)).toBe(
        textSearch
          ? "started"
          : `The service cannot start (1 error):\n  - models.Note.search: ${name} has no index for it. Remove it: \`search\` then reads the text fields.`,
      );
    });
  },
);
