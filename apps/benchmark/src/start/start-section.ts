import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { withAccountsDatabase } from "../logins/with-accounts.js";
import { startChild } from "../measure/child.js";
import { type Estimate, toEstimate } from "../measure/estimate.js";
import { makeLoadClient } from "../measure/load.js";
import { type Section, showRatio } from "../report.js";
import { bundleService } from "./bundle-service.js";

/** A program, with the path of a list of tags in its API. */
interface Target {
  readonly title: string;
  /** The name in `processes/start.ts`; the bundled program has none. */
  readonly name?: string;
  readonly path: string;
  /** V8's compiled code is stored for the next start. */
  readonly cached?: boolean;
}

const service = { name: "service", path: "/api/tags?limit=20" };
const bundled = { path: service.path };
const targets: readonly Target[] = [
  { title: "service", ...service },
  { title: "service, compile cache", ...service, cached: true },
  { title: "service, bundled", ...bundled },
  { title: "service, bundled, compile cache", ...bundled, cached: true },
  { title: "ZenStack on Express", name: "zenstack", path: "/api/tag?page[limit]=20" },
  { title: "Express + Prisma, one route", name: "express", path: "/api/tags" },
];

/** One start until the first response: milliseconds of CPU time in all threads, and MB of resident memory. */
interface Start {
  readonly cpu: number;
  readonly memory: number;
}

const rounds = 21;

/** From the start of a process to its first response: the example compared with ZenStack and Express with the same models. */
export function startSections(): Promise<Section[]> {
  return withAccountsDatabase(async ({ url, example }) => {
    const cache = fs.mkdtempSync(path.join(os.tmpdir(), "servicekit-start-"));
    const bundle = await bundleService(example);
    const starts = new Map<Target, Start[]>(targets.map((target) => [target, []]));
    try {
      for (let round = -1; round < rounds; round++) {
        for (const target of round % 2 === 0 ? targets : [...targets].reverse()) {
          const environment = {
            DATABASE_URL: url,
            // A bundle stores its compiled code by itself.
            ...(target.cached ? { NODE_COMPILE_CACHE: cache } : { NODE_DISABLE_COMPILE_CACHE: "1" }),
          };
          const [program, args] =
            target.name === undefined ? [bundle.program, []] : ["start.js", [target.name, example]];
          const start = await measureStart(program, args, environment, target.path);
          // The first start reads the files from disk, and compiles for those with a cache.
          if (round >= 0) starts.get(target)?.push(start);
        }
      }
    } finally {
      bundle.remove();
      fs.rmSync(cache, { recursive: true, force: true });
    }
    return [toSection(starts)];
  });
}

function toSection(starts: ReadonlyMap<Target, readonly Start[]>): Section {
  const [first, ...others] = starts.values();
  const estimate = (of: readonly Start[], what: keyof Start): Estimate => toEstimate(of.map((start) => start[what]));
  const ratio = (of: readonly Start[], what: keyof Start): string =>
    showRatio(toEstimate(of.map((start, round) => start[what] / (first?.[round]?.[what] ?? Number.NaN))));
  const cells = (of: readonly Start[], what: keyof Start): readonly string[] => [
    estimate(of, what).median.toFixed(0),
    others.includes(of) ? ratio(of, what) : "1",
  ];
  return {
    title: "Start-up",
    text: "CPU time and resident memory of a process from its start to its first response, a list from the database. The service is the example: 15 models, all their routes and all global middleware. ZenStack (RPC and REST) on Express serves the same models; Express + Prisma has the Prisma client of the same models, `express.json` and one route. “Compile cache” is `NODE_COMPILE_CACHE` (Node 22.1 or later), filled by an earlier start; “bundled” is the output of `service build --bundle`, which uses such a cache by itself. Each start is a process of its own, and the targets alternate.",
    headings: ["", "CPU time, ms", "÷ service", "memory, MB", "÷ service"],
    rows: [...starts].map(([{ title }, of]) => [title, ...cells(of, "cpu"), ...cells(of, "memory")]),
    rounds,
  };
}

async function measureStart(
  program: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  requestPath: string,
): Promise<Start> {
  const child = await startChild(program, args, environment);
  const client = makeLoadClient(child.ready);
  try {
    const { status, body } = await client.send({ method: "GET", path: requestPath });
    if (status !== 200) throw new Error(`${program} ${args.join(" ")}: ${status} ${body}`);
    return { cpu: (await child.query("cpu")) / 1000, memory: (await child.query("memory")) / 2 ** 20 };
  } finally {
    client.close();
    await child.end();
  }
}
