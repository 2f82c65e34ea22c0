import { execFile } from "node:child_process";
import fs from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { oneOf } from "../../../scripts/test/slow-share.js";

const run = promisify(execFile);
const here = path.join(import.meta.dirname, "..");
const input = path.join(here, "openapi.json");
const tsc = path.join(
  path.dirname(createRequire(path.join(here, "../../package.json")).resolve("typescript/package.json")),
  "bin/tsc",
);

const place = fs.mkdtempSync(path.join(os.tmpdir(), "servicekit-tools-"));
const bin = (name: string): string => path.join(place, "node_modules/.bin", name);
const written = (...parts: string[]): string => path.join(place, ...parts);

/** Runs a command in the folder of the tools, and returns its duration. */
async function timed<T>(what: string, work: () => Promise<T>): Promise<T> {
  const start = performance.now();
  const result = await work();
  console.info(`${what}: ${((performance.now() - start) / 1000).toFixed(1)} s`);
  return result;
}

const call = (command: string, ...args: string[]) =>
  run(command, args, { cwd: place, maxBuffer: 2 ** 26, env: { ...process.env, NODE_OPTIONS: "" } });

/** The errors of TypeScript in strict mode. */
async function compiled(...files: readonly string[]): Promise<string> {
  const options = ["--ignoreConfig", "--noEmit", "--strict", "--skipLibCheck", "--types", "", "--target", "es2022"];
  const resolution = ["--module", "esnext", "--moduleResolution", "bundler", "--lib", "es2023,dom,dom.iterable"];
  try {
    return (await call(process.execPath, tsc, ...options, ...resolution, ...files)).stdout;
  } catch (error) {
    return String((error as { stdout?: string }).stdout || error).slice(0, 5000);
  }
}

/** A script that ends with one line of JSON. */
async function script(text: string): Promise<Record<string, number | boolean>> {
  const file = written("script.mjs");
  fs.writeFileSync(file, text);
  const { stdout } = await call(process.execPath, file);
  return JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
}

const operations = Object.values(JSON.parse(fs.readFileSync(input, "utf8")).paths as object).flatMap((methods) =>
  Object.keys(methods),
).length;

/** A program that reads the document. */
interface Tool {
  readonly title: string;
  /** Installed outside the repository, because they take 200 MB and nothing else needs them. */
  readonly packages: readonly string[];
  readonly read: () => Promise<void>;
}

const tools: readonly Tool[] = [
  {
    title: "hey-api writes a client that compiles, with the required fields of a new row",
    // TypeScript writes its files.
    packages: ["@hey-api/openapi-ts@0.95.0", "typescript@6.0.3"],
    read: async () => {
      const plugins = ["-p", "@hey-api/typescript", "@hey-api/sdk"];
      await timed("hey-api", () => call(bin("openapi-ts"), "-i", input, "-o", "hey", ...plugins));
      fs.writeFileSync(
        written("hey-use.ts"),
        [
          `import { findManyProduct, type TagCreate } from "./hey/index";`,
          `export const list = () => findManyProduct({ query: { price: { gte: "10" }, limit: 5 } });`,
          `export const tag: TagCreate = { name: "red" };`,
          `// @ts-expect-error a tag needs its name`,
          `export const nameless: TagCreate = {};`,
        ].join("\n"),
      );
      expect(await timed("  tsc", () => compiled("hey/index.ts", "hey-use.ts"))).toBe("");
    },
  },
  {
    title: "orval writes hooks for React and schemas of Zod that compile",
    // The last ones are imported by the written files.
    packages: ["orval@8.30.0", "@tanstack/react-query@5.108.0", "react@19.2.0", "@types/react@19.2.0", "zod@4.6.7"],
    read: async () => {
      const outputs = {
        query: { target: "./query/api.ts", client: "react-query", httpClient: "fetch", mode: "single" },
        zod: { target: "./zod/api.ts", client: "zod", mode: "tags" },
      };
      const config = Object.fromEntries(Object.entries(outputs).map(([name, output]) => [name, { input, output }]));
      fs.writeFileSync(written("orval.config.mjs"), `export default ${JSON.stringify(config)};`);
      await timed("orval", () => call(bin("orval"), "--config", "orval.config.mjs"));
      const schemas = fs.readdirSync(written("zod")).map((name) => `zod/${name}`);
      expect(schemas.length).toBeGreaterThan(15);
      expect(await timed("  tsc", () => compiled("query/api.ts", ...schemas))).toBe("");
    },
  },
  {
    title: "Postman imports every operation",
    packages: ["openapi-to-postmanv2@6.3.3"],
    read: async () => {
      const found = await timed("openapi-to-postmanv2", () =>
        script(`
        import fs from "node:fs";
        import postman from "openapi-to-postmanv2";
        const data = fs.readFileSync(${JSON.stringify(input)}, "utf8");
        postman.convertV2({ type: "string", data }, {}, (error, { result, output }) => {
          const count = ({ item }) => (item === undefined ? 1 : item.reduce((sum, each) => sum + count(each), 0));
          const bytes = JSON.stringify(output[0].data).length;
          console.log(JSON.stringify({ result, requests: count(output[0].data), bytes }));
        });
      `),
      );
      expect(found).toMatchObject({ result: true, requests: operations });
      expect(found.bytes).toBeLessThan(6_000_000);
    },
  },
  {
    title: "Bruno imports every operation",
    packages: ["@usebruno/converters@0.23.0"],
    read: async () => {
      const found = await timed("@usebruno/converters", () =>
        script(`
        import fs from "node:fs";
        import { openApiToBruno } from "@usebruno/converters";
        const collection = await openApiToBruno(JSON.parse(fs.readFileSync(${JSON.stringify(input)}, "utf8")));
        const count = ({ items, type }) =>
          (type === "http-request" ? 1 : 0) + (items ?? []).reduce((sum, each) => sum + count(each), 0);
        console.log(JSON.stringify({ requests: count(collection), bytes: JSON.stringify(collection).length }));
      `),
      );
      expect(found).toMatchObject({ requests: operations });
      expect(found.bytes).toBeLessThan(6_000_000);
    },
  },
];

const chosen = oneOf(tools);

describe("C65 code generators read the document of the example", { timeout: 300_000 }, () => {
  beforeAll(async () => {
    fs.writeFileSync(written("package.json"), '{ "private": true, "type": "module" }');
    const quiet = ["--no-audit", "--no-fund", "--ignore-scripts", "--legacy-peer-deps", "--prefer-offline"];
    const packages = chosen.flatMap((tool) => tool.packages);
    await timed("npm install", () => call("npm", "install", ...quiet, ...packages));
  }, 300_000);
  afterAll(() => fs.rmSync(place, { recursive: true, force: true }));

  it.each(chosen)("$title", ({ read }) => read());
});
