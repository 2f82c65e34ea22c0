import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import request from "supertest";
import { afterEach, expect, it } from "vitest";
import { z } from "zod";
import { type ModelsData, type ServiceConfig, type ServiceInitConfig, ServiceRouter } from "../src/index.js";
import { makeStarter } from "./start.js";

const { create, closeAll } = makeStarter();
const folders: string[] = [];
afterEach(async () => {
  await closeAll();
  for (const folder of folders.splice(0)) fs.rmSync(folder, { recursive: true });
});

export const router = ServiceRouter();
router.post({ path: "/echo" }, (req, res) => void res.json({ data: req.body }));
router.get({ path: "/query" }, (req, res) => void res.json({ data: req.query }));
router.get({ path: "/cookies" }, (req, res) => void res.json({ cookies: req.cookies, signed: req.signedCookies }));
router.get({ path: "/sized/:size" }, (req, res) => void res.send("x".repeat(Number(req.params.size))));
router.get({ path: "/plain", compression: false }, (_req, res) => void res.send("x".repeat(5000)));
router.get({ path: "/client" }, (req, res) => void res.json({ data: [req.ip, req.protocol] }));
router.get({ path: "/limited", rateLimit: { windowMs: 60_000, max: 9 } }, (_req, res) => void res.json({}));
router.get({ path: "/slow" }, async (_req, res) => {
  await Promise.race([once(res, "close"), wait(1_500)]);
  if (!res.headersSent) res.json({});
});
router.get(
  { path: "/schema", validation: { query: z.strictObject({ a: z.int() }) } },
  (_req, res) => void res.json({}),
);

/** A table of notes with a self-relation. No request here reaches the database. */
const models: ModelsData = {
  format: 1,
  enums: [],
  models: [
    {
      name: "Note",
      fields: [
        { kind: "scalar", type: "Int", name: "id", default: { function: "autoincrement" } },
        { kind: "scalar", type: "String", name: "text" },
        { kind: "scalar", type: "Int", name: "topId", isOptional: true, isForeignKey: true },
        {
          kind: "relation",
          type: "Note",
          name: "top",
          isOptional: true,
          relation: { name: "tree", fields: ["topId"], references: ["id"] },
        },
        { kind: "relation", type: "Note", name: "replies", isList: true, relation: { name: "tree" } },
      ],
      keys: [{ kind: "id", fields: ["id"] }],
    },
  ],
};
export const database = { client: { note: {}, $disconnect: async () => undefined } as never, models };

export type Client = ReturnType<typeof request>;

/** The service is equal for each form: by a file alone, by the file's form in code, by the init names. */
async function starts(file: ServiceConfig, code?: ServiceInitConfig): Promise<[string, () => Promise<Client>][]> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "servicekit-keys-"));
  folders.push(folder);
  fs.writeFileSync(path.join(folder, "service.config.json"), JSON.stringify(file));
  const start = async (config: ServiceInitConfig, directory?: string) =>
    request((await create({ use: [router], database, ...config }, directory === undefined ? {} : { directory })).app);
  return [
    ["file", () => start({}, folder)],
    ["code", () => start(file)],
    ...(code === undefined ? [] : [["init names", () => start(code)] as [string, () => Promise<Client>]]),
  ];
}

export interface Row {
  readonly file: ServiceConfig;
  /** The same with the names of the init form, if they differ. */
  readonly code?: ServiceInitConfig;
  /** The request of a client. */
  readonly call: (client: Client) => request.Test;
  /** The expected status, headers and body. */
  readonly sees: Readonly<Record<string, unknown>>;
  /** The result if the key is not set. */
  readonly otherwise: Readonly<Record<string, unknown>>;
}

export const gzip = (to: string) => (client: Client) => client.get(to).set("Accept-Encoding", "gzip");
export const get = (to: string) => (client: Client) => client.get(to);

/** Tests each row in a file, in the file's form in code, and by the init names; and the result without the key. */
export function verifyRows(rows: Readonly<Record<string, Row>>): void {
  it.each(Object.entries(rows))("%s", async (_title, { file, code, call, sees, otherwise }) => {
    const see = async (client: Client) => {
      const { status, headers, body } = await call(client);
      return { ...headers, ...body, status };
    };
    const reported = await Promise.all(
      (await starts(file, code)).map(async ([way, start]) => [way, await see(await start())] as const),
    );
    for (const [way, seen] of reported) expect(only(seen, sees), way).toEqual(sees);
    const seen = await see(request((await create({ use: [router], database })).app));
    expect(only(seen, otherwise), "without the key").toEqual(otherwise);
  });
}

/** The tested parts of a response. */
const only = (seen: Readonly<Record<string, unknown>>, row: object) =>
  Object.fromEntries(Object.keys(row).map((name) => [name, seen[name]]));
