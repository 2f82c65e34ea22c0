import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { InitError, isExistingProject, planInit } from "../src/index.js";

const made: string[] = [];
afterEach(() => {
  for (const folder of made.splice(0)) fs.rmSync(folder, { recursive: true, force: true });
});

const manifest = (more: object = {}): string =>
  JSON.stringify({ name: "shop", type: "module", dependencies: { "@prisma/client": "7.10.0" }, ...more });
const datasource = 'datasource db {\n  provider = "postgresql"\n}\n';
const model = "\nmodel Product {\n  id Int @id\n}\n";

/** A project with these files, besides a `package.json` and a schema. */
function makeProject(files: Readonly<Record<string, string>> = {}): string {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), "servicekit-init-"));
  made.push(root);
  const defaults = { "package.json": manifest(), "prisma/schema.prisma": datasource + model };
  for (const [place, text] of Object.entries({ ...defaults, ...files })) {
    if (text === "") continue;
    fs.mkdirSync(path.dirname(path.join(root, place)), { recursive: true });
    fs.writeFileSync(path.join(root, place), text);
  }
  return root;
}
const plan = (files?: Readonly<Record<string, string>>) => planInit(makeProject(files));
const textOf = ({ files, changes }: ReturnType<typeof planInit>, place: string): string =>
  [...files, ...changes].find((one) => one.place === place)?.text ?? "";

describe("C73 the plan of service init", () => {
  it("C73 adds generators, a program, the configuration and packages to a project with a schema", () => {
    const { files, changes, packages, notes } = plan({ ".gitignore": "node_modules" });
    expect(files.map(({ place }) => place)).toEqual(["service.config.ts", "tsconfig.json", "src/main.ts"]);
    expect(changes.map(({ place, added }) => [place, added.join("\n")])).toEqual([
      [
        "prisma/schema.prisma",
        `
generator client {
  provider = "prisma-client"
  output   = "../src/generated/prisma"
}

generator service {
  provider = "servicekit-prisma"
  output   = "../src/generated/service"
}`,
      ],
      [".gitignore", "src/generated/prisma/\nsrc/generated/service/\n.data/"],
    ]);
    expect(packages).toEqual({
      dependencies: [
        expect.stringMatching(/^@servicekit\/dev-database@\^\d/),
        expect.stringMatching(/^@servicekit\/service@\^\d/),
        expect.stringMatching(/^zod@\^4/),
      ],
      devDependencies: [expect.stringMatching(/^@types\/node@/), expect.stringMatching(/^typescript@/)],
    });
    expect(notes).toEqual([expect.stringContaining("Set DATABASE_URL in .env")]);
  });

  it("C144 hides fields with names of secrets, and names them in a note", () => {
    const models = `
model User {
  id           Int     @id
  email        String  @unique
  passwordHash String // ends with } and a comment
  /// The token of a mail.
  reset_token  String? @unique
  /// @hidden
  totpSecret   String?
  apiKey       Bytes   /// @visible
  saltLevel    String
  otp          Int?
  password     String
  pwd          String @ignore
  tags         String[] @default(["}"])

  @@index([email], where: { email: "a" })
}

model Session {
  id Int @id
}
`;
    const other =
      "model Product {\r\n\tid Int @id\r\n\tsecrets String[]\r\n}\r\nview Shelf {\r\n  id Int @unique\r\n}\r\n";
    const root = makeProject({
      "prisma/schema.prisma": "",
      "prisma/schema/a.prisma": datasource + models,
      "prisma/schema/b.prisma": other,
    });
    const planned = planInit(root);
    const { changes, notes } = planned;
    expect(textOf(planned, "prisma/schema/a.prisma")).toContain(
      models
        .replace("  passwordHash", "  /// @hidden\n  passwordHash")
        .replace("  reset_token", "  /// @hidden\n  reset_token"),
    );
    expect(textOf(planned, "prisma/schema/b.prisma")).toBe(other.replace("\tsecrets", "\t/// @hidden\r\n\tsecrets"));
    expect(changes.map(({ place, added }) => [place, added.slice(0, 3)])).toEqual([
      ["prisma/schema/a.prisma", ["  /// @hidden", "  /// @hidden", ""]],
      ["prisma/schema/b.prisma", ["\t/// @hidden"]],
    ]);
    expect(notes[0]).toBe(
      "/// @hidden is added above fields with names of secrets: User.passwordHash, User.reset_token, Product.secrets. Replace it by /// @visible if clients may read the field.",
    );
    // Each model has secrets or accounts, and a view is no model.
    expect(textOf(planned, "src/main.ts")).toContain("// ModelName: { auth:");
    for (const { place, text } of changes) fs.writeFileSync(path.join(root, place), text);
    expect(planInit(root).changes).toEqual([]);
    expect(planInit(root).notes.join()).not.toContain("secrets");
  });

  it("C144 opens the first model without secrets and accounts in its example", () => {
    const models = ["User", "Account", "Session", "Verification", "Device", "Product", "Order"].map(
      (name) => `model ${name} {\n  id Int @id\n${name === "Device" ? "  /// @hidden\n  apiKey String\n" : ""}}\n`,
    );
    const planned = plan({ "prisma/schema.prisma": datasource + models.join("") });
    expect(textOf(planned, "src/main.ts")).toContain("// Product: { auth:");
  });

  it("C73 preserves every byte of the schema around the added blocks", () => {
    const text = `// Comments with generator old { } stay.\r
generator client { // the client\r
  provider = "prisma-client-js" // not "prisma-client"\r
  output   = "./client"\r
  // } a comment with a brace\r
} // after\r
/* generator service {\r
} */\r
datasource db {\r
  provider = "postgresql"\r
}\r
`;
    const { changes } = plan({ "prisma/schema.prisma": text });
    const [{ added = [], text: changed = "" } = {}] = changes;
    const block = added.map((line) => `\r\n${line}`).join("");
    expect(added).toContain("generator service {");
    expect(changed).toContain(`} // after${block}\r\n/* generator`);
    expect(changed.replace(block, "")).toBe(text);
  });

  it.each([
    ['generator db {\n  provider = "prisma-client"\n  output = "../db/client"\n}\n', "../db/client/client.js"],
    ['generator js {\n  provider = "prisma-client-js"\n}\n', "@prisma/client"],
    ['generator js {\n  provider = "prisma-client-js"\n  output = "../src/db"\n}\n', "./db/index.js"],
  ])("C73 uses the client of %j", (generator, imported) => {
    const made = plan({ "prisma/schema.prisma": generator + datasource + model });
    expect(textOf(made, "src/main.ts")).toContain(`import { PrismaClient } from "${imported}";`);
    expect(made.changes[0]?.added.filter((line) => line.startsWith("generator"))).toEqual(["generator service {"]);
    const needsPrisma = generator.includes("prisma-client-js");
    expect(made.packages.devDependencies.includes("prisma@7.10.0")).toBe(needsPrisma);
  });

  it.each([
    ["7.10.0", []],
    ["^7.10.0", []],
    ["catalog:", []],
    ["7.2.0", ["prisma@7.2.0"]],
  ])("C73 installs Prisma's command line if only that generates for the client %s", (version, expected) => {
    const { packages } = plan({ "package.json": manifest({ dependencies: { "@prisma/client": version } }) });
    expect(packages.devDependencies.filter((name) => name.startsWith("prisma@"))).toEqual(expected);
  });

  it("C73 C117 adds the adapter of SQLite to a project with a schema for it", () => {
    const { packages, files } = plan({ "prisma/schema.prisma": datasource.replace("postgresql", "sqlite") });
    expect(packages.dependencies).toContain("@prisma/adapter-libsql@^7.10.0");
    expect(files.map(({ place }) => place)).toContain("src/main.ts");
  });

  it("C73 gives blocks free names, and enables the indexes that introspection writes", () => {
    const generators = `generator client {\n  provider = "other"\n}\ngenerator service {\n  provider = "docs"\n}\n`;
    const partial = '\nmodel Mail {\n  id Int @id\n  to String @unique(where: raw("(sent)"))\n}\n';
    const { changes } = plan({ "prisma/schema.prisma": datasource + generators + partial });
    expect(changes[0]?.added).toEqual(expect.arrayContaining(["generator prisma_client {", "generator servicekit {"]));
    expect(changes[0]?.added).toContain('  previewFeatures = ["partialIndexes"]');
  });

  it("C73 finds a folder of schema files by prisma.config.ts, and changes the file with the generators", () => {
    const { changes } = plan({
      "prisma/schema.prisma": "",
      "prisma.config.ts": 'export default defineConfig({ schema: path.join("db", "models") });',
      "db/models/a.prisma": model,
      "db/models/base.prisma": datasource,
    });
    expect(changes.map(({ place }) => place)).toEqual(["db/models/base.prisma"]);
    expect(changes[0]?.added).toContain('  output   = "../../src/generated/service"');
  });

  it.each([
    ["", undefined],
    ["dist", "dist\nsrc/generated/prisma/\nsrc/generated/service/\n.data/\n"],
    ["dist\r\n", "dist\r\nsrc/generated/prisma/\r\nsrc/generated/service/\r\n.data/\r\n"],
    ["/src/generated\n", "/src/generated\n.data/\n"],
    ["generated\n.data/\n", undefined],
    ["prisma\n", "prisma\nsrc/generated/service/\n.data/\n"],
  ])("C73 adds the missing lines to the .gitignore %j", (text, expected) => {
    const { changes } = plan({ ".gitignore": text });
    expect(changes.find(({ place }) => place === ".gitignore")?.text).toBe(expected);
  });

  it.each([
    [{ ".env": "DATABASE_URL=x" }, false],
    [{ ".env.local": "export DATABASE_URL = x" }, false],
    [{ ".env": "# DATABASE_URL=x\nMY_DATABASE_URL=x" }, true],
  ])("C73 mentions a missing DATABASE_URL with the files %j", (files, expected) => {
    vi.stubEnv("DATABASE_URL", "");
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(plan(files).notes).toHaveLength(expected ? 1 : 0);
  });

  it("C73 finds the schema that package.json names, and reads the installed version of Prisma's client", () => {
    const made = plan({
      "package.json": manifest({ prisma: { schema: "db/main.prisma" }, dependencies: { "@prisma/client": "*" } }),
      "db/main.prisma": datasource + model,
      "node_modules/@prisma/client/package.json": '{ "version": "7.3.0" }',
    });
    expect(made.changes[0]?.place).toBe("db/main.prisma");
    expect(made.packages.devDependencies).toContain("prisma@7.3.0");
    expect(textOf(made, "src/main.ts")).toContain("// Product: { auth:");
  });

  it("C73 replaces no file and repeats no line", () => {
    const { files, changes } = plan({
      ".env": "DATABASE_URL=postgresql://localhost/shop",
      ".gitignore": "/src/generated\n.data\n",
      "service.config.mjs": "export default {};",
      "tsconfig.json": "{}",
      "src/main.ts": "console.log(1);",
      "prisma/schema.prisma": `${datasource}generator own {\n  provider = "servicekit-prisma"\n  output = "../src/generated/own"\n}\n`,
    });
    expect(files.map(({ place }) => place)).toEqual(["src/service.ts"]);
    expect(files[0]?.text).toContain('import { models } from "./generated/own/models.js"');
    expect(files[0]?.text).toContain("await service.init({");
    expect(changes.map(({ place }) => place)).toEqual(["prisma/schema.prisma"]);
  });

  it.each([
    [{ "package.json": "" }, /has no package\.json/],
    [{ "package.json": "{" }, /package\.json is not JSON/],
    [{ "prisma/schema.prisma": "" }, /has no Prisma schema\. .*service introspect/],
    [{ "package.json": "{}" }, /Set "type": "module"\.$/],
    [
      { "package.json": manifest({ dependencies: { "@prisma/client": "^6.2.1" } }) },
      /requires Prisma 7, and .* \^6\.2\.1/,
    ],
    [{ "package.json": manifest({ devDependencies: { zod: "~3.24.0" } }) }, /requires Zod 4, and .* ~3\.24\.0/],
    [
      { "prisma/schema.prisma": datasource.replace("postgresql", "mysql") },
      /schema\.prisma:2: .*PostgreSQL or SQLite only.*"mysql"/,
    ],
    [
      { "prisma/schema.prisma": 'datasource db {\n  provider = "postgresql"\n\n  url = env("A")\n}\n' },
      /schema\.prisma:4: servicekit requires Prisma 7, which has no "url"/,
    ],
    [{ "prisma/schema.prisma": model }, /has no datasource block/],
  ])("C73 rejects the project %j", (files, message) => {
    expect(() => plan(files)).toThrow(InitError);
    expect(() => plan(files)).toThrow(message);
  });

  it("C73 recognizes an existing project by its package.json and its schema", () => {
    expect(isExistingProject(makeProject())).toBe(true);
    expect(isExistingProject(makeProject({ "prisma/schema.prisma": "" }))).toBe(false);
    expect(isExistingProject(makeProject({ "package.json": "" }))).toBe(false);
    expect(isExistingProject(makeProject({ "package.json": "{" }))).toBe(false);
  });
});

describe("C73 service init in an Express application", () => {
  const application = `import express, { type Express } from "express";
import { session } from "./session.js"; // const app = express();

const app: Express = express(); // the host
app.use(session);
app.listen(3000);
`;

  it("C73 mounts the service in the only one", () => {
    const made = plan({ "src/http/server.ts": application });
    expect(textOf(made, "src/service.ts")).toContain("export const api = await service.create({");
    expect(textOf(made, "src/http/server.ts")).toBe(
      application
        .replace("\n\nconst", '\nimport { api } from "../service.js";\n\nconst')
        .replace("host\napp.use", "host\napp.use(api.app);\napp.use"),
    );
    expect(made.notes[0]).toContain("move app.use(api.app) after that middleware");
  });

  it("C73 ignores other files, generated code, tests and calls that continue", () => {
    const chained = application.replace("express(); // the host", "express().disable('etag');");
    const files = { "src/a.md": application, "src/generated/a.ts": application, "src/a.test.ts": application };
    const made = plan({ ...files, "src/b.ts": chained, "lib/c.ts": application, "src/d.ts": "const app = express();" });
    expect(made.files.map(({ place }) => place)).toContain("src/main.ts");
  });

  it("C73 finds an application in the folder of the project, and one with another import", () => {
    const made = plan({ "server.ts": application.replace("express, { type Express }", "* as express") });
    const [, change] = made.changes;
    expect([change?.place, change?.added[0]]).toEqual(["server.ts", 'import { api } from "./src/service.js";']);
  });

  it.each([
    ["two applications", { "src/a.ts": application, "src/b.ts": application }],
    ["JavaScript", { "src/a.js": application }],
  ])("C73 prints the lines for %s", (_what, files) => {
    const made = plan(files);
    expect(made.changes.map(({ place }) => place)).toEqual(["prisma/schema.prisma"]);
    expect(made.notes[0]).toMatch(/Mount the service in src\/a\.[jt]s[\s\S]*import \{ api \} from "\.\/service\.js"/);
  });

  it("C73 prints the lines again until they are written", () => {
    const service = `import service from "${"@servicekit/service"}";\nexport const api = await service.create({});\n`;
    const open = plan({ "src/a.ts": application, "src/service.ts": service });
    expect([open.files.map(({ place }) => place), open.notes[0]]).toEqual([
      ["service.config.ts", "tsconfig.json"],
      expect.stringContaining("Mount the service in src/a.ts"),
    ]);
    const mounted = `import { api } from "./service.js";\n${application}`;
    expect(plan({ "src/a.ts": mounted, "src/service.ts": service }).notes).toHaveLength(1);
  });
});
