import fs from "node:fs";
import path from "node:path";
import { formatPlan } from "./format-plan.js";
import { addArguments, projectManager, runManager } from "./package-manager.js";
import { type InitPlan, isEmptyPlan } from "./plan.js";
import { planInit } from "./plan-init.js";

/** The options of {@link initProject}. */
export interface InitProjectOptions {
  /** The folder with the `package.json` of the project. */
  readonly directory: string;
  /** Whether to write without confirmation. */
  readonly yes: boolean;
  /** Whether to install the packages. */
  readonly install: boolean;
  /** Prompts the user; `undefined` without a terminal. */
  readonly confirm: ((question: string) => Promise<boolean>) | undefined;
  /** Receives the lines of the output. */
  readonly print: (text: string) => void;
}

/**
 * Adds servicekit to a project with a Prisma schema: prints every file, line and package, prompts for confirmation, and
 * writes nothing else. Existing files are never replaced.
 *
 * @returns the exit code: 1 if nothing was written because the user declined or there is no terminal, or if the packages
 * were not installed
 * @throws {InitError} if the project does not meet the requirements; nothing is written
 */
export async function initProject(options: InitProjectOptions): Promise<number> {
  const { directory, yes, confirm, print } = options;
  const plan = planInit(directory);
  if (isEmptyPlan(plan)) {
    print(["The project already uses servicekit. There is nothing to do.", ...plan.notes].join("\n\n"));
    return 0;
  }
  print(`${formatPlan(plan)}\n`);
  if (!yes && confirm === undefined) {
    print("Nothing was written. Use --yes to write without confirmation.");
    return 1;
  }
  if (!yes && !(await confirm?.("Write these changes?"))) {
    print("Nothing was written.");
    return 1;
  }
  writePlan(plan);
  return install(plan, options);
}

/** Writes the files of a plan. A file that exists in the meantime is not replaced. */
function writePlan({ root, files, changes }: InitPlan): void {
  for (const { place, text } of files) {
    fs.mkdirSync(path.dirname(path.join(root, place)), { recursive: true });
    fs.writeFileSync(path.join(root, place), text, { flag: "wx" });
  }
  for (const { place, text } of changes) fs.writeFileSync(path.join(root, place), text);
}

const runners: Readonly<Record<string, string>> = { npm: "npx", pnpm: "pnpm exec", yarn: "yarn", bun: "bunx" };

async function install(plan: InitPlan, { install: isInstalled, print }: InitProjectOptions): Promise<number> {
  const { dependencies, devDependencies } = plan.packages;
  const manager = projectManager(plan.root);
  const commands = [
    ...(dependencies.length === 0 ? [] : [addArguments(manager, dependencies, false)]),
    ...(devDependencies.length === 0 ? [] : [addArguments(manager, devDependencies, true)]),
  ];
  const open = [...commands];
  for (const args of isInstalled ? commands : []) {
    print(`${manager} ${args.join(" ")}`);
    if (!(await runManager(manager, args, plan.root))) break;
    open.shift();
  }
  const isFailed = isInstalled && open.length > 0;
  if (isFailed) print(`\n${manager} failed; its output is above. The files are written.`);
  const service = `${runners[manager] ?? "npx"} service`;
  const isMounted = plan.files.some(({ place, text }) => place === "src/service.ts" && text.includes("service.create"));
  const steps = [
    ...open.map((args) => `${manager} ${args.join(" ")}`),
    `${service} generate`,
    ...(isMounted ? [] : [`${service} dev`]),
  ];
  print(`\nNow:\n\n${steps.map((step) => `  ${step}`).join("\n")}\n`);
  return isFailed ? 1 : 0;
}
