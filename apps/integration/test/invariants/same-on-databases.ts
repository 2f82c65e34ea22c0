import type { Models } from "@servicekit/prisma";
import { providers, type TestedProvider } from "../../../../scripts/test/provider-database.js";
import type { DrawnRequest, Setup } from "./cases.js";
import type { Invariant, Violation } from "./check-cases.js";
import { commonFeatures, commonModels } from "./common-models.js";
import { databaseDifferences } from "./database-differences.js";
import { drawSetup } from "./draw-setup.js";
import { drawnModels, readFixture } from "./fixtures.js";
import { type DrawnCall, drawCaller, makeMaterial } from "./material.js";
import { differenceOf, normalize, normalizeText } from "./normalize.js";
import { drawRead } from "./reads.js";
import { kindOf } from "./responses.js";
import { type RunningCase, startCase } from "./start-case.js";
import { drawWrite } from "./writes.js";

interface Case {
  readonly setup: Setup;
  readonly steps: readonly DrawnRequest[];
}

/** The provider whose types limit what is drawn. */
export const narrowest: TestedProvider = "mysql";

/** The same configuration, rows and requests give the same responses and rows on each database, except for documented differences. */
export const sameOnDatabases = (serverUrl: string, steps: number): Invariant<Case> => ({
  name: "databases",
  lists: ["steps"],
  draw: (draw, provider, all) => {
    const models = commonModels(all);
    const setup = drawSetup(draw, provider, models);
    const material = makeMaterial(draw, setup, models);
    const drawCall = (): DrawnCall & { readonly path: string } => {
      for (;;) {
        const call = draw.chance(0.6) ? drawRead(material) : drawWrite(material);
        if (!databaseDifferences.some(({ leavesOut }) => leavesOut?.(call))) return call;
      }
    };
    return { setup, steps: Array.from({ length: steps }, () => ({ caller: drawCaller(draw), ...drawCall() })) };
  },
  check: async ({ setup, steps }, count) => {
    const running = await Promise.all(providers.map((provider) => startOn(provider, setup, serverUrl)));
    try {
      return await compare(steps, running, count);
    } finally {
      await Promise.all(running.map((one) => one.close()));
    }
  },
});

async function startOn(provider: TestedProvider, setup: Setup, serverUrl: string): Promise<RunningCase> {
  const { models } = await readFixture(provider);
  return startCase({ ...setup, provider, features: commonFeatures(setup.features, models) }, serverUrl);
}

async function compare(
  steps: readonly DrawnRequest[],
  running: readonly RunningCase[],
  count: (name: string) => void,
): Promise<readonly Violation[]> {
  const since = Date.now();
  const violations: Violation[] = [];
  let counter = 1000;
  for (const step of steps) {
    // The databases differ in whether a rejected row uses up a key.
    counter += 100;
    if (step.method !== "GET") await Promise.all(running.map((one) => one.setCounters(counter)));
    const [reply, ...replies] = await Promise.all(running.map((one) => one.send(step)));
    if (reply === undefined) throw new Error("There is no database.");
    count(kindOf(step, reply));
    for (const [index, other] of replies.entries()) {
      const [expected = "", actual = ""] = [reply, other].map((one) => commonText(normalize(one, since)));
      if (expected === actual) continue;
      const difference = databaseDifferences.find(({ explains }) => explains?.(step, reply, other));
      if (difference === undefined) {
        const place = `${step.caller} ${step.method} ${step.target} ${JSON.stringify(step.body)}`;
        const detail = `${place} on ${providers[index + 1]}\n${differenceOf(bodyOf(expected), bodyOf(actual))}`;
        violations.push({ kind: step.path, detail });
      } else count(`documented: ${difference.name}`);
      // The rows may differ now.
      if (step.method !== "GET") return violations;
    }
  }
  return [...violations, ...(await compareRows(running, since))];
}

async function compareRows(running: readonly RunningCase[], since: number): Promise<readonly Violation[]> {
  const [expected = "", ...others] = await Promise.all(
    running.map(async (one) => normalizeText(await tablesText(one), since)),
  );
  return others.flatMap((text, index) =>
    text === expected
      ? []
      : [{ kind: "rows", detail: `rows on ${providers[index + 1]}\n${differenceOf(expected, text)}` }],
  );
}

async function tablesText(running: RunningCase): Promise<string> {
  const tables = await running.tables();
  const models: Models = commonModels(running.models);
  return drawnModels(models)
    .flatMap((model) =>
      (tables[model.name] ?? []).map((row) => {
        const values = Object.entries(row).filter(([name]) => model.fieldsByName.has(name));
        return `${model.name} ${JSON.stringify(values.map(([name, value]) => [name, plainNumber(value)]))}`;
      }),
    )
    .join("\n");
}

/** Numbers of other types are texts. */
const plainNumber = (value: unknown): unknown => (typeof value === "number" ? String(value) : value);

/** A response without the differences of values. */
const commonText = (text: string): string =>
  databaseDifferences.reduce((changed, { normalize: change }) => change?.(changed) ?? changed, text);

const bodyOf = (text: string): string => {
  const [status, ...lines] = text.split("\n");
  return `${status} ${lines.slice(-3).join(" ")}`;
};
