import path from "node:path";
import type { Model, Models } from "@servicekit/prisma";
import { type Ejected, namesOf, shownFields, umbrella } from "./ejected.js";
import { sampleRow } from "./sample-rows.js";

/** How the test signs in. */
export interface TestSignIn {
  /** The field with which users sign in. */
  readonly name: string;
  readonly user: Model;
}

/** The paths that the test needs, relative to the root. */
export interface TestPlace {
  readonly models: Models;
  readonly signIn: TestSignIn | undefined;
  /** The file that exports `app`, the options of the service. */
  readonly app: string;
}

/**
 * A test that sends the same requests to the written and the generated route, on separate databases with the same rows;
 * `undefined` if rows cannot be generated.
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
 * Compares \`${model.name}.${operation}\` as written in ${route} with the generated route. Both must respond the same;
 * delete this file when the route is meant to differ.
 */
import service, { type Service, type ServiceInitConfig } from "${umbrella}";
import { createDatabase, pushSchema, startDevDatabase } from "${umbrella}/dev-database";
import request from "supertest";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { app } from "${from(app)}";
import type { PrismaClient } from "${from(ejected.client)}";
import { ${router} } from "${from(route)}";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const options: ServiceInitConfig = app;
const others = (options.use ?? []).filter((one) => one !== ${router});
const open = { ...options.models?.${model.name}, operations: { ${operation}: true } };
const services = {
  written: { ...options, use: [${router}, ...others] },
  generated: { ...options, use: others, models: { ...options.models, ${model.name}: open } },
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
      JWT_SECRET: "a secret for tests that is long enough",
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

/** The response, without values that differ each time. */
async function responseOf(name: Name, who: string, method: Method, path: string, body?: object): Promise<unknown> {
  const { api, headers } = started.get(name) ?? {};
  if (api === undefined) throw new Error("It has not started.");
  const sent = request(api.server)[method](path).set({ "an anonymous client": {}, "a signed-in user": headers, "an invalid token": { authorization: "Bearer bad" } }[who] ?? {});
  const response = await (body === undefined ? sent : sent.send(body));
  const text = JSON.stringify(response.status < 400 ? response.body : { code: response.body.code })
    .replaceAll(/\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z/g, "a time")
    .replaceAll(/[\\da-f]{8}-([\\da-f]{4}-){3}[\\da-f]{12}/g, "an id");
  return { status: response.status, body: JSON.parse(text), location: response.headers.location };
}

type Method = "get" | "post" | "patch" | "delete";
const requests: readonly (readonly [Method, string, object?])[] = [
${requestsOf(ejected, models)
  .map((line) => `  ${line},\n`)
  .join("")}];

it.each(["an anonymous client", "a signed-in user", "an invalid token"])("responds to %s like the generated route", async (who) => {
  for (const [method, path, body] of requests) {
    const [written, generated] = [
      await responseOf("written", who, method, path, body),
      await responseOf("generated", who, method, path, body),
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

/** The requests, as source code. */
function requestsOf({ model, operation, path: at, key }: Ejected, models: Models): readonly string[] {
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
