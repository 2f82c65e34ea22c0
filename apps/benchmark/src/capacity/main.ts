import { parseArgs } from "node:util";
import { calculateCapacity, type Load } from "./calculate-capacity.js";

/** Examples of a load. */
const defaults: Load = {
  ...{ requests: 1_000, writes: 0.1, serviceMicros: 200, readMicros: 250, writeMicros: 250 },
  ...{ connectionMs: 2, replicas: 0, lagMs: 20, pauseMs: 1_000, poolSize: 10, utilization: 0.6 },
};

const { values } = parseArgs({
  options: Object.fromEntries(Object.keys(defaults).map((name) => [name, { type: "string" as const }])),
});
const load = Object.fromEntries(
  Object.entries(defaults).map(([name, value]) => [name, Number(values[name] ?? value)]),
) as unknown as Load;
const wrong = Object.entries(load).find(([, value]) => !Number.isFinite(value) || value < 0);
if (wrong !== undefined) {
  console.error(`--${wrong[0]} must be a number from 0 on.`);
  process.exit(2);
}
console.table(load);
console.table(calculateCapacity(load));
