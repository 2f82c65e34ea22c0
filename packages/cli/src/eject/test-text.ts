import path from "node:path";
import type { Model, Models } from "@servicekit/prisma";
import { type Ejected, namesOf, shownFields, umbrella } from "./ejected.js";
import { sampleRow } from "./sample-rows.js";

/** How the test signs in. */
export interface TestSignIn {
  /** The field by which users sign in. */
  readonly name: string;
  readonly user: Model;
}

/** What the test stands on, from the root. */
export interface TestPlace {
  readonly models: Models;
  readonly signIn: TestSignIn | undefined;
  /** The file that exports `app`, what the service is made of. */
  readonly app: string;
}

/**
 * A test of the user's that asks the written route and the generated one the same, on databases of their own with the same
 * rows; `undefined` where no rows can be made up.
 */
export function testText(ejected: Ejected, { models, signIn, app }: TestPlace): string | undefined {
  const { model, operation } = ejected;
  const { router, route, test } = namesOf(ejected);
  const row = sampleRow(model, models, false);
  const user = signIn && sampleRow(signIn.user, models, false);
  if (row === undefined || (signIn !== undefined && user === undefined)) return undefined;
  const from = (file: string): string =>
    path.relative(path.dirname(test), file).replaceAll(path.sep, "/").replace(/\.ts$/, ".js");
  return `/**
 * Asks \`${model.name}.${operation}\` of this service twice: as ${route} writes it, and as it is generated. Both answer alike;
 * delete this file when the route shall answer otherwise.
 */
import service, { type Service, type ServiceInitConfig } from "${umbrella}";
import { createDatabase, pushSchema, startDevDatabase } from "${umbrella}/dev-database";
import request from "supertest";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { app } from "${from(app)}";
import type { PrismaClient } from "${from(ejected.client)}";
import { ${router} } from "${from(route)}";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const whole: ServiceInitConfig = app;
const others = (whole.use ?? []).filter((one) => one !== ${router});
const open = { ...whole.models?.${model.name}, operations: { ${operation}: true } };
const services = {
  written: { ...whole, use: [${router}, ...others] },
  generated: { ...whole, use: others, models: { ...whole.models, ${model.name}: open } },
} satisfies Record<string, ServiceInitConfig>;

type Name = keyof typeof services;
const started = new Map<Name, { readonly api: Service; readonly headers: Record<string, string> }>();
const ends: (() => Promise<unknown>)[] = [];

/** The same rows in both databases. */
async function addRows(client: PrismaClient): Promise<void> {
  for (const n of [1, 2, 3]) {
${row.statements.map((line) => `    ${line}\n`).join("")}    await client.${model.delegate}.create({ data: { ${row.members.join(", ")} } });
  }
}

beforeAll(async () => {
  let url = process.env.TEST_DATABASE_URL ?? "";
  if (url === "") {
    const server = await startDevDatabase({ directory: ".data/test", flags: ["-c", "fsync=off"] });
    ends.unshift(() => server.stop());
    url = server.url;
  }
  for (const name of ["written", "generated"] as const) {
    const database = await createDatabase(url);
    ends.unshift(() => database.drop());
    await pushSchema(database.url, { directory: "prisma" });
    const environment = {
      DATABASE_URL: database.url,
      JWT_SECRET: "of the tests alone, and long enough",
      SERVICE_AUTHENTICATION_PASSWORD_COST: "4",
      LOG_LEVEL: "error",
      NODE_ENV: "test",
    };
    const api = await service.create(services[name], { environment });
    ends.unshift(() => api.close());
    const { client } = service.context<PrismaClient>()(api);
    await addRows(client);
${signInText(signIn, user?.statements ?? [], user?.members ?? [])}    started.set(name, { api, headers });
  }
});
afterAll(async () => {
  for (const end of ends) await end();
});

/** What an answer says, without what is made anew each time. */
async function answerOf(name: Name, who: string, method: Method, path: string, body?: object): Promise<unknown> {
  const { api, headers } = started.get(name) ?? {};
  if (api === undefined) throw new Error("It has not started.");
  const sent = request(api.server)[method](path).set({ nobody: {}, "who is signed in": headers, "a bad token": { authorization: "Bearer bad" } }[who] ?? {});
  const answer = await (body === undefined ? sent : sent.send(body));
  const text = JSON.stringify(answer.status < 400 ? answer.body : { code: answer.body.code })
    .replaceAll(/\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z/g, "a time")
    .replaceAll(/[\\da-f]{8}-([\\da-f]{4}-){3}[\\da-f]{12}/g, "an id");
  return { status: answer.status, body: JSON.parse(text), location: answer.headers.location };
}

type Method = "get" | "post" | "patch" | "delete";
const asked: readonly (readonly [Method, string, object?])[] = [
${askedOf(ejected, models)
  .map((line) => `  ${line},\n`)
  .join("")}];

it.each(["nobody", "who is signed in", "a bad token"])("answers %s as the generated route does", async (who) => {
  for (const [method, path, body] of asked) {
    const [written, generated] = [
      await answerOf("written", who, method, path, body),
      await answerOf("generated", who, method, path, body),
    ];
    expect(written, \`\${method} \${path} \${JSON.stringify(body)}\`).toEqual(generated);
  }
});
`;
}

function signInText(signIn: TestSignIn | undefined, statements: readonly string[], members: readonly string[]): string {
  if (signIn === undefined) return "    const headers: Record<string, string> = {};\n";
  const { name, user } = signIn;
  const superUser = user.fieldsByName.has("isSuperUser") ? ", isSuperUser: true" : "";
  const own = members.filter((member) => !/^(password|isSuperUser):/.test(member));
  return `    const [n, password] = [100, "correct horse battery"];
${statements.map((line) => `    ${line}\n`).join("")}    const user = await client.${user.delegate}.create({
      data: { ${own.join(", ")}, password: await api.hashPassword(password)${superUser} },
    });
    const { body } = await request(api.server).post("/api/auth/login").send({ ${name}: user.${name}, password });
    const headers: Record<string, string> = { authorization: \`Bearer \${body.accessToken}\` };
`;
}

/** What both are asked, as code. */
function askedOf({ model, operation, path: at, key }: Ejected, models: Models): readonly string[] {
  const text = shownFields(model).find(({ type, isList, kind }) => kind === "scalar" && type === "String" && !isList);
  const one = at.replace(/:\w+$/, "");
  switch (operation) {
    case "findMany": {
      const queries = [
        "",
        "?limit=2",
        "?limit=2&page=2",
        "?page=9",
        `?sort=-${key.name}`,
        "?limit=0",
        "?limit=1000",
        "?nothing=1",
        "?sort=nothing",
      ];
      if (text !== undefined)
        queries.push(`?${text.name}__icontains=1`, `?${text.name}=5`, `?sort=${text.name}&limit=1`);
      return queries.map((query) => `["get", "${at}${query}"]`);
    }
    case "findOne":
      return ["1", "3", "999999", "abc", "-1", "1?nothing=1"].map((id) => `["get", "${one}${id}"]`);
    case "deleteOne":
      return ["999999", "abc", "1", "1"].map((id) => `["delete", "${one}${id}"]`);
    case "updateOne":
      return [
        ...(text === undefined
          ? []
          : [`["patch", "${one}1", { ${text.name}: "another text" }]`, `["patch", "${one}1", { ${text.name}: 5 }]`]),
        `["patch", "${one}1", {}]`,
        `["patch", "${one}1", { nothing: 1 }]`,
        `["patch", "${one}999999", {}]`,
        `["patch", "${one}abc", {}]`,
      ];
    case "createOne": {
      const members = (sampleRow(model, models, true)?.members ?? []).map((member) =>
        member
          .replace(/^(\w+): \w+\.\w+$/, "$1: 1")
          .replaceAll(/\$\{n\}/g, "9")
          .replaceAll(/\bn\b(?! %)/g, "9")
          .replace("n % 2 === 0", "true"),
      );
      const body = `{ ${members.join(", ")} }`;
      return [
        `["post", "${at}", ${body}]`,
        `["post", "${at}", ${body}]`,
        `["post", "${at}", {}]`,
        `["post", "${at}", { ...${body}, nothing: 1 }]`,
      ];
    }
  }
}
