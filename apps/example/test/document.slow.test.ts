import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import SwaggerParser from "@apidevtools/swagger-parser";
import { Validator } from "@seriousme/openapi-schema-validator";
import service from "@servicekit/service";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { oneOf } from "../../../scripts/test/slow-share.js";
import { hasChinook, startChinook } from "../../integration/test/chinook/chinook.js";
import { generatedDocument } from "../../integration/test/schemas/generated-document.js";
import { makeSchema } from "../../integration/test/schemas/make-schema.js";
import { readAccounts } from "../src/accounts/accounts.js";
import { makeShopConfig } from "../src/app.js";
import type { Problem } from "./api.js";
import { makeContractCheck } from "./contract-check.js";
import { checkExamples } from "./document/check-examples.js";
import {
  compileTypes,
  type Finding,
  lintWithRedocly,
  lintWithSpectral,
  writeDocument,
} from "./document/lint-document.js";
import { shapes } from "./document/shapes.js";
import { type Shop, startShop } from "./shop.js";

const directory = path.join(import.meta.dirname, "..");

/** The shop's document as its `openapi` command writes it: without a database. */
async function shopDocument(accounts = "") {
  const environment = {
    DATABASE_URL: "postgresql://localhost:1/nowhere",
    JWT_SECRET: "0123456789abcdef0123456789abcdef",
  };
  // With email, so that all account routes exist.
  const email = { host: "localhost", auth: { user: "shop@example.com", pass: "x" } };
  const config = { ...makeShopConfig(readAccounts(accounts)), ...(accounts === "" ? {} : { email }) };
  const shop = await service.create(config, { directory, environment });
  try {
    return await shop.openapi();
  } finally {
    await shop.close();
  }
}

async function chinookDocument() {
  const chinook = await startChinook(inject("postgresUrl"));
  try {
    return (await (await fetch(`${chinook.service.url}/api/api-docs.json`)).json()) as object;
  } finally {
    await chinook.close();
  }
}

/** A project with the metadata that a document requires. */
function project(): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "servicekit-project-"));
  const manifest = {
    name: "generated",
    version: "1.0.0",
    description: "A generated schema.",
    license: "MIT",
    author: "Ann",
  };
  fs.writeFileSync(path.join(folder, "package.json"), JSON.stringify(manifest));
  return folder;
}

const folder = project();
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

/** Chinook has no metadata: no licence, no contact, and no description. */
const silent = ["info-license", "info-contact", "info-description"];

interface Described {
  readonly name: string;
  readonly make: () => Promise<object>;
  readonly isThere?: boolean;
  /** Rules that the missing metadata violates. */
  readonly known?: readonly string[];
}

const documents: readonly Described[] = [
  { name: "the example", make: () => shopDocument() },
  { name: "the example with static accounts", make: () => shopDocument("static") },
  { name: "the example with dynamic accounts", make: () => shopDocument("dynamic") },
  { name: "Chinook", make: chinookDocument, isThere: hasChinook, known: silent },
  { name: "every shape of a schema", make: () => generatedDocument(shapes, folder) },
  { name: "15 generated models", make: () => generatedDocument(makeSchema(7, 15), folder) },
  { name: "81 generated models", make: () => generatedDocument(makeSchema(7, 81), folder) },
];

describe.each(oneOf(documents.filter(({ isThere = true }) => isThere)))(
  "C47 C65 the document of $name",
  ({ make, known = [] }) => {
    let document: object;
    let written: ReturnType<typeof writeDocument>;
    beforeAll(async () => {
      document = await make();
      written = writeDocument(document);
    });
    afterAll(() => written?.remove());
    const copy = () => JSON.parse(JSON.stringify(document));
    const untold = (findings: readonly Finding[]) => findings.filter(({ rule }) => !known.includes(rule));

    it("passes two independent validators", { timeout: 300_000 }, async () => {
      const result = await new Validator().validate(copy());
      expect(result.errors ?? []).toEqual([]);
      await SwaggerParser.validate(copy());
    });

    it("passes Redocly's strict rules without a warning", { timeout: 300_000 }, async () => {
      expect(untold(await lintWithRedocly(written.file))).toEqual([]);
    });

    it("passes Spectral's rules for OpenAPI without a warning", { timeout: 300_000 }, async () => {
      expect(untold(await lintWithSpectral(written.file))).toEqual([]);
    });

    it("generates types that compile", { timeout: 300_000 }, async () => {
      expect(await compileTypes(written.file)).toBe("");
    });

    it("has examples that are valid against its own schemas", { timeout: 300_000 }, () => {
      const { count, issues } = checkExamples(document);
      expect(issues).toEqual([]);
      expect(count).toBeGreaterThan(50);
    });
  },
);

describe("C47 the document of the example", () => {
  let shop: Shop;
  let document: Awaited<ReturnType<typeof shopDocument>>;
  beforeAll(async () => {
    shop = await startShop();
    document = await shopDocument();
  });
  afterAll(() => shop?.close());

  it("equals the committed openapi.json", () => {
    const file = path.join(directory, "openapi.json");
    const committed = fs.existsSync(file) ? fs.readFileSync(file, "utf8").split("\n") : [];
    const made = `${JSON.stringify(document, null, 2)}\n`.split("\n");
    const at = made.findIndex((line, index) => line !== committed[index]);
    if (at === -1 && made.length === committed.length) return;
    const [before, now] = [committed, made].map((lines) => lines.slice(at, at + 5).join("\n"));
    expect.fail(
      `apps/example/openapi.json is not what the shop says of itself any more. From line ${at + 1} on:\n- ${before}\n+ ${now}\n` +
        "If the change is meant, build, run `npm run openapi` in apps/example, and look at the difference.",
    );
  });

  it("has exactly the operations of the shop", async () => {
    const response = await shop.call<{ data: { method: string; path: string }[] }>("GET", "/api/available-routes");
    expect(response.status).toBe(200);
    const served = response.body.data.map(({ method, path: route }) => {
      return `${method} ${route.replace(/:(\w+)/g, "{$1}")}`;
    });
    const documented = Object.entries(document.paths).flatMap(([route, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${route}`),
    );
    // The pages of the documentation, and the studio, are not part of the API.
    const pages = /\/(api-docs|studio)($|\/)/;
    expect(documented.sort()).toEqual(served.filter((route) => !pages.test(route)).sort());
  });

  it("has examples of bodies that the shop accepts", { timeout: 300_000 }, async () => {
    const schemas = (document as { components?: { schemas?: Record<string, { examples?: unknown[] }> } }).components
      ?.schemas;
    const creations = Object.entries(document.paths).flatMap(([route, operations]) => {
      const { operationId } = (operations.post ?? {}) as { operationId?: string };
      const model = /^createOne(\w+)$/.exec(operationId ?? "")?.[1];
      return model === undefined ? [] : [{ route, example: schemas?.[`${model}Create`]?.examples?.[0] }];
    });
    expect(creations.length).toBeGreaterThan(10);
    for (const { route, example } of creations) {
      const { status, body } = await shop.call<Problem>("POST", route, example);
      if (status === 201) continue;
      // The referenced row may be missing, and the name may be taken.
      expect(["RelatedRecordNotFound", "UniqueConstraint", "CheckConstraint"]).toContain(body.code);
    }
  });

  it("is validated by a check that detects deviations", () => {
    const check = makeContractCheck(JSON.parse(JSON.stringify(document)));
    const headers = new Headers({ "content-type": "application/json", etag: '"a"' });
    const received = { method: "GET", path: "/api/tags/1", status: 200, headers, text: '{"data":{"id":1,"name":"a"}}' };
    expect(check(received)).toEqual([]);
    expect(check({ ...received, text: '{"data":{"id":1,"name":"a","more":1}}' })[0]).toContain("the body is not as");
    expect(check({ ...received, text: '{"data":{"id":"1"}}' })[0]).toContain("the body is not as");
    expect(check({ ...received, status: 202 })[0]).toContain("does not document this status");
    expect(check({ ...received, headers: new Headers({ "content-type": "application/json" }) })[0]).toContain("ETag");
    expect(check({ ...received, headers: new Headers({ etag: "a", "content-type": "text/html" }) })[0]).toContain(
      "text/html",
    );
    expect(check({ ...received, path: "/api/nothing" })[0]).toContain("does not contain this route");
    const created = { ...received, method: "POST", path: "/api/tags", status: 201, sent: { name: 1 } };
    created.headers.set("location", "/api/tags/1");
    expect(check(created)[0]).toContain("a body that it does not document");
  });
});
