import path from "node:path";
import { StartError } from "@servicekit/core";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { createPushedDatabase } from "../../../scripts/test/template-database.js";
import type { DatabaseConfig } from "../src/config/service-config.js";
import { PrismaClient } from "./generated/notes/client/client.js";
import { models } from "./generated/notes/models.js";
import { makeStarter } from "./start.js";

const { init, closeAll, logText } = makeStarter();
let url = "";
let drop: () => Promise<void>;
beforeAll(async () => {
  ({ url, drop } = await createPushedDatabase(inject("postgresUrl"), path.join(import.meta.dirname, "fixtures/notes")));
});
afterAll(async () => {
  await closeAll();
  await drop?.();
});

const plain: DatabaseConfig["client"] = ({ adapter }) => new PrismaClient({ adapter });
const extended: DatabaseConfig["client"] = ({ adapter }) => new PrismaClient({ adapter }).$extends({ query: {} });
const start = (reads: DatabaseConfig["reads"], client = plain) =>
  init(
    { database: { models, client, ...(reads === undefined ? {} : { reads }) } },
    { environment: { NODE_ENV: "test", DATABASE_URL: url } },
  );

it("C71 answers the same whoever reads: bytes, tags and links", async () => {
  const services = [await start("prisma"), await start("sql"), await start(undefined)];
  const [first] = services;
  for (const text of ["a", 'b "quoted" \n', "ü"]) {
    const body = JSON.stringify({ text });
    const answer = await fetch(`${first?.url}/api/notes`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    });
    expect(answer.status).toBe(201);
  }
  const paths = [
    "notes?limit=2",
    "notes?limit=2&page=2",
    "notes?page=9",
    "notes?cursor=&limit=2",
    "notes?count=false",
    "notes/1",
    "notes/2?fields=text",
    "notes/99",
    "notes?text__contains=%22&sort=-text",
  ];
  for (const target of paths) {
    const answers = await Promise.all(
      services.map(async (service) => {
        const response = await fetch(`${service.url}/api/${target}`);
        const { headers, status } = response;
        return {
          status,
          tag: headers.get("etag"),
          link: headers.get("link"),
          text: (await response.text()).replace(/"requestId":"[^"]*"/, ""),
        };
      }),
    );
    expect(answers.slice(1), target).toEqual([answers[0], answers[0]]);
  }
});

it("C71 a client whose queries somebody extends is left to Prisma: told at debug, a fault where SQL is asked for", async () => {
  expect(logText()).not.toMatch(/read by Prisma/);
  const service = await start("auto", extended);
  expect(logText()).toMatch(/All rows are read by Prisma: the Prisma client has extensions\./);
  expect((await fetch(`${service.url}/api/notes`)).status).toBe(200);
  await expect(start("sql", extended)).rejects.toThrow(StartError);
  await expect(start("sql", extended)).rejects.toThrow(/database\.reads/);
});
