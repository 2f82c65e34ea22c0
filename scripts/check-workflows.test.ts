import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { projectFiles } from "../packages/create-servicekit/src/project-files.js";
import { readManifest } from "./test/packed-packages.js";

const root = path.join(import.meta.dirname, "..");
const github = path.join(root, ".github");
const yaml = createRequire(path.join(root, "packages/openapi/package.json"))("yaml") as {
  parse(text: string, options?: object): unknown;
};

interface Job {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly strategy?: { readonly matrix: Readonly<Record<string, readonly number[]>> };
  readonly services?: Readonly<Record<string, { readonly image: string }>>;
  readonly steps: readonly {
    readonly run?: string;
    readonly uses?: string;
    readonly with?: Readonly<Record<string, string | number>>;
    readonly env?: Readonly<Record<string, string>>;
  }[];
}
interface Workflow {
  readonly permissions: unknown;
  readonly jobs: Readonly<Record<string, Job>>;
}

const workflows = fs.readdirSync(path.join(github, "workflows"));
const read = (name: string): Workflow =>
  yaml.parse(fs.readFileSync(path.join(github, "workflows", name), "utf8"), { strict: true }) as Workflow;
const stepsOf = ({ jobs }: Workflow) => Object.values(jobs).flatMap(({ steps }) => steps);

/** The commands of a workflow, including those passed to actions. */
const commandsOf = (workflow: Workflow): readonly string[] =>
  stepsOf(workflow).flatMap((step) => [step.run, step.with?.publish, step.with?.version].map(String));

/** The scripts that npm commands name. */
const scriptsIn = (commands: readonly string[]): readonly string[] =>
  commands.flatMap((command) =>
    [...command.matchAll(/\bnpm (?:run ([\w:]+)|(test)\b)/g)].map(([, script, test]) => script ?? test ?? ""),
  );

describe("C73 the workflows of this repository", () => {
  it.each(workflows)("C73 %s is YAML, declares its permissions, and runs existing scripts and files", (name) => {
    const workflow = read(name);
    expect(workflow.permissions).toBeDefined();
    const commands = commandsOf(workflow);
    const scripts = scriptsIn(commands);
    expect(scripts.length).toBeGreaterThan(0);
    expect(scripts.filter((script) => readManifest(root).scripts?.[script] === undefined)).toEqual([]);
    const files = commands.flatMap((command) => /^npm run \w+ -- (\S+\/\S+)$/.exec(command)?.[1] ?? []);
    const isThere = (file: string): boolean =>
      fs.readdirSync(path.join(root, path.dirname(file))).some((one) => one.startsWith(path.basename(file)));
    expect(files.filter((file) => !isThere(file))).toEqual([]);
    // A commit, which cannot change as a tag can.
    const pinned = /^[\w-]+\/[\w-]+@[0-9a-f]{40}$/;
    for (const { uses } of stepsOf(workflow)) if (uses !== undefined) expect(uses).toMatch(pinned);
  });

  it("C73 runs every test with each supported Node and PostgreSQL, every slow test with each Node, and those of MySQL with each server", () => {
    const { test, slow, mysql } = read("ci.yml").jobs;
    const nodes = [20, 22, 24];
    expect(test?.strategy?.matrix).toEqual({ node: nodes, postgres: [14, 15, 16, 17, 18] });
    expect(slow?.strategy?.matrix).toEqual({ node: nodes });
    const postgres = "$" + "{{ matrix.postgres }}";
    expect(test?.services?.postgres?.image).toBe(`postgres:${postgres}`);
    expect(mysql?.strategy?.matrix).toEqual({ server: ["mariadb:10.11", "mariadb:11.8", "mysql:8.4", "mysql:9"] });
    const ofMysql = ["build", "test", "test:slow", "test:slow"];
    expect(scriptsIn(commandsOf(read("ci.yml")))).toEqual(["check", "changeset", "test", ...ofMysql, "test:slow"]);
  });

  it("C119 runs every test that uses a server of MySQL on each of its servers", () => {
    const commands = read("ci.yml").jobs.mysql?.steps.map(({ run = "" }) => run) ?? [];
    const wordsOf = (isSlow: boolean): readonly string[] =>
      commands
        .filter((command) => command.includes("test:slow") === isSlow)
        .flatMap((command) => / -- (.*)$/.exec(command)?.[1]?.split(" ") ?? []);
    const files = ["packages", "apps"].flatMap((folder) =>
      fs
        .readdirSync(path.join(root, folder), { withFileTypes: true })
        .map(({ name }) => path.join(root, folder, name, "test"))
        .filter((test) => fs.existsSync(test))
        .flatMap((test) =>
          fs
            .readdirSync(test, { recursive: true, encoding: "utf8" })
            .filter((file) => file.endsWith(".test.ts"))
            .map((file) => path.relative(root, path.join(test, file))),
        ),
    );
    const ofServer = files.filter((file) => {
      const text = fs.readFileSync(path.join(root, file), "utf8");
      return /(provider-database|mysql-database|trash-clients)\.js"/.test(text) && /\bproviders\b|"mysql"/.test(text);
    });
    expect(ofServer.length).toBeGreaterThan(15);
    const missing = ofServer.filter((file) => !wordsOf(file.includes(".slow.")).some((word) => file.includes(word)));
    expect(missing).toEqual([]);
  });

  it("C73 has Renovate pin actions to commits", () => {
    const renovate = JSON.parse(fs.readFileSync(path.join(github, "renovate.json"), "utf8")) as { extends: string[] };
    expect(renovate.extends).toContain("helpers:pinGitHubActionDigests");
  });

  it("C73 publishes with provenance and trusted publishing", () => {
    const { release } = read("release.yml").jobs;
    expect(release?.permissions).toMatchObject({ "id-token": "write" });
    const step = release?.steps.find(({ uses }) => uses?.startsWith("changesets/action@"));
    expect(step?.env).toMatchObject({ NPM_CONFIG_PROVENANCE: "true" });
    expect(step?.with).toMatchObject({ publish: "npm run release", version: "npm run changeset -- version" });
  });

  it("C73 has issue forms with the fields that a response needs", () => {
    const forms = fs.readdirSync(path.join(github, "ISSUE_TEMPLATE")).filter((name) => name !== "config.yml");
    for (const form of forms) {
      const { name, description, body } = yaml.parse(
        fs.readFileSync(path.join(github, "ISSUE_TEMPLATE", form), "utf8"),
      ) as { name: string; description: string; body: { type: string; id: string; attributes: { label: string } }[] };
      expect([name, description].every((text) => text.length > 10)).toBe(true);
      expect(new Set(body.map(({ id }) => id)).size).toBe(body.length);
      expect(body.every(({ attributes: { label } }) => label.length > 5)).toBe(true);
    }
    expect(forms.length).toBeGreaterThan(1);
  });
});

it("C73 the workflow of a new project runs existing scripts", () => {
  const answers = { schema: "shop", validation: "zod", authentication: "static", database: "embedded" } as const;
  const files = projectFiles("shop", answers, "npm");
  const textOf = (place: string): string => files.find((file) => file.place === place)?.text ?? "";
  const workflow = yaml.parse(textOf(".github/workflows/ci.yml"), { strict: true }) as Workflow;
  const { scripts } = JSON.parse(textOf("package.json")) as { scripts: Readonly<Record<string, string>> };
  const used = scriptsIn(commandsOf(workflow));
  expect(used).toEqual(expect.arrayContaining(["build", "lint", "test", "typecheck"]));
  expect(used.filter((name) => scripts[name] === undefined)).toEqual([]);
  const ours = fs.readFileSync(path.join(github, "workflows", "ci.yml"), "utf8");
  const actions = textOf(".github/workflows/ci.yml").match(/uses: .*/g) ?? [];
  expect(actions).toHaveLength(2);
  for (const action of actions) expect(ours).toContain(action);
});
