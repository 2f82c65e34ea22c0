import type { Command } from "commander";
import { addHelp } from "../help.js";
import type { WithService } from "./inspected-service.js";
import { show } from "./show.js";
import { noDatabase } from "./with-service.js";

/** `service config`: the effective settings from all sources and defaults, without secrets. */
export function addConfig(program: Command, withService: WithService): void {
  addHelp(program.command("config [prefix]"), {
    notes: "[prefix] is a key of the configuration, such as timeouts.",
    examples: ["service config", "service config timeouts", "service config --json"],
  })
    .description("print the effective configuration, from all sources and defaults; secrets are ***")
    .option("--json", "print JSON")
    .action((prefix: string | undefined, { json = false }: { json?: boolean }) =>
      withService(async ({ config }) => {
        const all = flatten("", config, new Set()).filter(([key]) => !key.startsWith("database.models."));
        const settings = all.filter(([key]) => prefix === undefined || key === prefix || key.startsWith(`${prefix}.`));
        return show(json, { heads: ["key", "value"], rows: settings }, Object.fromEntries(settings));
      }),
    );
}

const secretName = /(secret|password|token|credentials?|apiKey|accessKey|accessKeyId)$/i;

function flatten(key: string, value: unknown, above: ReadonlySet<unknown>): [string, string][] {
  if (value === undefined || above.has(value)) return [];
  if (isRecord(value)) {
    const inner = new Set([...above, value]);
    return Object.entries(value).flatMap(([name, one]) => flatten(key === "" ? name : `${key}.${name}`, one, inner));
  }
  return [[key, secretName.test(key.split(".").at(-1) ?? "") && typeof value !== "number" ? "***" : wordsOf(value)]];
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && [Object.prototype, null].includes(Object.getPrototypeOf(value));

function wordsOf(value: unknown): string {
  if (typeof value === "function") return `function ${value.name}`.trim();
  if (value === noDatabase) return "(not set)";
  if (typeof value === "string") return value.replace(/^(\w+:\/\/[^:/@]*):[^@]*@/, "$1:***@");
  if (value instanceof Set) return [...value].join(", ");
  if (Array.isArray(value)) return value.map(wordsOf).join(", ");
  if (typeof value === "object" && value !== null) return value.constructor.name;
  return String(value);
}
