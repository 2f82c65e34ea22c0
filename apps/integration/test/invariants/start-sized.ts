import type { CallerName } from "./callers.js";
import type { DrawnFeature } from "./cases.js";
import { drawFeatures } from "./features.js";
import { drawnModels, readFixture } from "./fixtures.js";
import { pathOf } from "./material.js";
import { kindOf } from "./responses.js";
import { keyFields } from "./rows.js";
import { drawOf } from "./seeds.js";
import { type SizedCase, type SizedPath, storedRows } from "./sized-paths.js";
import { fillTables } from "./sized-rows.js";
import { startCase } from "./start-case.js";

/** A path of a service with drawn features, and a model with many rows. */
export interface SizedRun {
  /** The model and the features, for a failure. */
  readonly description: string;
  /** Sends the request with a size. */
  run(size: number): Promise<void>;
  close(): Promise<void>;
}

/** Many combinations do not have a path, or reject its requests. */
const maxAttempts = 30;

/** Draws combinations of features until one accepts the requests of a path. */
export async function startSized(path: SizedPath, serverUrl: string): Promise<SizedRun> {
  const reasons: string[] = [];
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const run = await startAttempt(path, attempt, serverUrl, (reason) => reasons.push(reason));
    if (run !== undefined) return run;
  }
  throw new Error(`No combination accepts ${path.key}: ${reasons.join("\n")}`);
}

async function startAttempt(
  path: SizedPath,
  attempt: number,
  serverUrl: string,
  report: (reason: string) => void,
): Promise<SizedRun | undefined> {
  const draw = drawOf(`cost ${path.key}`, attempt);
  const { models } = await readFixture("postgresql");
  const model = draw.pick(
    drawnModels(models).filter((one) => keyFields(one).length === 1 && (path.models?.includes(one.name) ?? true)),
  );
  // A row rule may exclude a row from the events of other callers.
  const caller = path.hasEvents === true ? "root" : draw.pick<CallerName>(["edda", "root"]);
  const required = path.features?.(model.name) ?? [];
  const features = [...withoutFeatures(drawFeatures(draw, "postgresql", models), required), ...required, mcp];
  const running = await startCase({ provider: "postgresql", features, rows: [] }, serverUrl);
  try {
    await fillTables(running.databaseUrl, models, model, storedRows);
    await running.setCounters(storedRows + 1);
    const send = await makeSender(path, { running, model, nextIndex: makeCounter() }, caller);
    const reason = await send(path.max);
    if (reason === undefined) {
      const run = async (size: number): Promise<void> => {
        for (let time = 0; time < (path.repeat ?? 1); time++) {
          const rejection = await send(size);
          if (rejection !== undefined) throw new Error(`Size ${size} is rejected: ${rejection}`);
        }
      };
      return {
        description: `${caller}, ${model.name}: ${JSON.stringify(features)}`,
        run,
        close: () => running.close(),
      };
    }
    report(reason);
  } catch (error) {
    await running.close();
    throw error;
  }
  await running.close();
  return undefined;
}

const mcp: DrawnFeature = { key: "mcp", value: true };

/** A feature is configured once. */
const withoutFeatures = (
  features: readonly DrawnFeature[],
  required: readonly DrawnFeature[],
): readonly DrawnFeature[] =>
  features.filter(({ key, model }) => ![...required, mcp].some((one) => one.key === key && one.model === model));

/** Counts numbers that no row has. */
function makeCounter(): () => number {
  let index = 200_000;
  return () => (index += 1_000);
}

/** Sends requests of a size, and returns why one was rejected. */
async function makeSender(path: SizedPath, one: SizedCase, caller: CallerName) {
  const { running, model } = one;
  await path.prepare?.(one);
  const stream = path.hasEvents === true ? await running.openStream(caller, `${pathOf(model)}/events`) : undefined;
  return async (size: number): Promise<string | undefined> => {
    const call = await path.toCall(one, size);
    if (call === undefined) return `${model.name} does not have the path`;
    const reply = await running.send({ caller, ...call });
    if (kindOf(call, reply) === "rejected" || reply.body?.meta?.count === 0)
      return `${reply.status}: ${reply.text.slice(0, 300)}`;
    await stream?.take(size);
    return undefined;
  };
}
