import { randomBytes } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { toEstimate } from "../measure/estimate.js";
import { firstClients, type Target, withTargets } from "../measure/http-subject.js";
import { type LoadRequest, makeLoadClient } from "../measure/load.js";
import { toRawSubject } from "../measure/raw-subject.js";
import { type Effort, joinMeasured, type Measured, measureInRounds, type Subject, warmUp } from "../measure/rounds.js";
import { type Section, showCost, showRatio } from "../report.js";
import { userName, userPassword, withShopDatabase } from "../shop/shop-database.js";
import { rotate } from "../shop/shop-requests.js";
import { checkSameData } from "./check-same-data.js";
import { type Dialect, plain, zenstackRest, zenstackRpc } from "./dialects.js";
import { drawBars } from "./draw-bars.js";
import { measureSlowest } from "./measure-slowest.js";
import { longList, makePeerRequests, type PeerRequests } from "./peer-requests.js";

interface Peer {
  /** The server of `processes/serve.ts`. */
  readonly name: string;
  readonly title: string;
  readonly dialect: Dialect;
}

/** The first is measured; the costs in the picture are relative to the second. */
const peers: readonly Peer[] = [
  { name: "peer: service", title: "service", dialect: plain },
  { name: "peer: Express, same middlewares", title: "Express + Prisma, same middleware", dialect: plain },
  { name: "peer: Express", title: "Express + Prisma", dialect: plain },
  { name: "peer: Fastify", title: "Fastify + Prisma", dialect: plain },
  { name: "peer: ZenStack RPC", title: "ZenStack RPC", dialect: zenstackRpc },
  { name: "peer: ZenStack REST", title: "ZenStack REST", dialect: zenstackRest },
  { name: "peer: NestJS", title: "NestJS + Prisma", dialect: plain },
  { name: "peer: pg", title: "node:http + pg", dialect: plain },
  { name: "peer: service, reads by Prisma", title: "service, by Prisma", dialect: plain },
];
/** The number of them in the chart. */
const drawn = 6;

const effort: Effort = { warmUp: 1_500_000, round: 250_000, maxRounds: 8 };
/** Before the first row, with all requests that read: otherwise V8 compiles shared code while the first row is measured. */
const firstEffort: Effort = { ...effort, warmUp: 6_000_000 };
/** The number of starts of the targets: the decisions of V8 differ between processes. */
const starts = 2;
/** The number of starts in each of these for the long list: one start gives one peak of memory. */
const startsOfLongList = 2;
/** The only row that is not CPU time. */
const slowest = "list of 20, p99 at 32 connections";
const picture = path.join(import.meta.dirname, "..", "..", "..", "..", "docs", "explanation", "benchmarks.svg");

/**
 * The service with all its defaults, compared with the same API in other frameworks.
 *
 * @param pinned the environment that pins the serving processes to one processor
 */
export async function peersSections(pinned: Readonly<Record<string, string>>): Promise<Section[]> {
  const environment = { JWT_SECRET: randomBytes(48).toString("base64url"), ...pinned };
  /** By the title of the request; the subjects are those of the last start. */
  const known = new Map<string, { measured: Measured; subjects: readonly Subject[] }>();
  const store = (title: string, measured: Measured, subjects: readonly Subject[]): void => {
    const before = known.get(title);
    known.set(title, { measured: before === undefined ? measured : joinMeasured(before.measured, measured), subjects });
    console.error(`  ${rowOf(title, measured, subjects).join(" | ")}`);
  };
  const measure = async (targets: readonly Target[], { title, next }: PeerRequests): Promise<void> => {
    const clients = firstClients(targets);
    await checkSameData(
      clients.map((client, at) => ({ client, dialect: peers[at]?.dialect ?? plain })),
      next,
    );
    const subjects = targets.map((target) => toSubject(target, next));
    store(title, await measureInRounds(subjects, [], effort), subjects);
  };
  const time = async (targets: readonly Target[], { next }: PeerRequests): Promise<void> =>
    store(
      slowest,
      await measureSlowest(targets.map((target) => ({ target, next: nextFor(target, next) }))),
      targets.map((target) => toSubject(target, next)),
    );
  const peaks: number[][] = [];
  const names = peers.map(({ name }) => name);
  for (let start = 0; start < starts; start++) {
    // New rows each time: the last requests add some.
    await withShopDatabase(async (databaseUrl) => {
      const given = { ...environment, DATABASE_URL: databaseUrl };
      await withTargets(
        names,
        given,
        async (targets) => {
          const requests = makePeerRequests(await signIn(targets[0] as Target));
          const nextKind = rotate(requests.filter(({ writes }) => writes !== true));
          for (const target of targets)
            await warmUp(
              toSubject(target, () => nextKind().next()),
              firstEffort,
            );
          for (const kind of requests) {
            await measure(targets, kind);
            if (kind === requests[0]) await time(targets, kind);
          }
        },
        1,
      );
      for (let look = 0; look < startsOfLongList; look++) {
        // New processes: the peak of memory belongs to this list alone.
        await withTargets(
          names,
          given,
          async (targets) => {
            await measure(targets, longList);
            peaks.push(await Promise.all(targets.map(peakOf)));
          },
          1,
        );
      }
    });
  }
  const timed = known.get(slowest);
  known.delete(slowest);
  const results = [...known].map(([title, { measured, subjects }]) => ({ title, measured, subjects }));
  const bars = results.map(({ title, measured, subjects }) => {
    const complete = measured.cost(subjects[1] as Subject).median;
    return { title, values: subjects.slice(0, drawn).map((subject) => measured.cost(subject).median / complete) };
  });
  fs.writeFileSync(
    picture,
    drawBars(
      bars,
      peers.slice(0, drawn).map(({ title }) => title),
    ),
  );
  return [
    {
      title: "Frameworks",
      text: `![CPU time per request, relative to Express with the same middleware](benchmarks.svg)\n\nThe service with all its defaults (request id, access log, security headers, CORS, cookies, compression, rate limit, authentication), compared with the same API in other frameworks, on the same database and rows. “Same middleware” is Express with all of these except authentication, from the usual packages; the others have only their routes, so they do less. ZenStack 3 runs on Express with its generated routes (RPC and JSON:API) over Kysely; a list with its total is one RPC transaction, and its REST lists always have a total. The content of all responses is compared before anything is timed. The serving process has one processor, the clients have the other. The last row is the 99th percentile of the response time at 32 connections, in µs. ${describePeaks(peaks)}`,
      headings: ["", "service, µs", ...peers.slice(1).map(({ title }) => `÷ ${title}`)],
      rows: [
        ...results.map(({ title, measured, subjects }) => rowOf(title, measured, subjects)),
        ...(timed === undefined ? [] : [rowOf(slowest, timed.measured, timed.subjects)]),
      ],
      rounds: Math.max(...results.map(({ measured }) => measured.rounds)),
    },
  ];
}

/** The requests in the API of a peer. */
function nextFor({ name }: Target, next: () => LoadRequest): () => LoadRequest {
  const dialect = peers.find((peer) => peer.name === name)?.dialect ?? plain;
  return () => dialect.translate(next());
}

const toSubject = (target: Target, next: () => LoadRequest): Subject =>
  toRawSubject(
    target.name,
    target.processes.map(({ child }) => child),
    nextFor(target, next),
  );

function rowOf(title: string, measured: Measured, subjects: readonly Subject[]): string[] {
  const [ours, ...others] = subjects as [Subject, ...Subject[]];
  return [title, showCost(measured.cost(ours)), ...others.map((by) => showRatio(measured.ratio(ours, by)))];
}

/** The peak memory of each target, and that of the service relative to it, over all starts. */
function describePeaks(peaks: readonly (readonly number[])[]): string {
  const targets = peers.map(({ title }, at) => {
    const own = toEstimate(peaks.map((of) => of[at] ?? Number.NaN)).median.toFixed(0);
    const ratio = toEstimate(peaks.map((of) => (of[0] ?? Number.NaN) / (of[at] ?? Number.NaN)));
    return at === 0 ? `${title} ${own}` : `${title} ${own} (÷ ${showRatio(ratio)})`;
  });
  return `Peak memory of the list of 1,000, in MB, over ${peaks.length} starts: ${targets.join(", ")}.`;
}

const peakOf = async ({ processes }: Target): Promise<number> =>
  ((await processes[0]?.child.query("peak")) ?? Number.NaN) / 2 ** 20;

async function signIn({ processes }: Target): Promise<string> {
  const client = makeLoadClient(processes[0]?.child.ready ?? 0);
  const body = JSON.stringify({ username: userName, password: userPassword });
  const response = await client.send({ method: "POST", path: "/api/auth/login", body });
  client.close();
  if (response.status !== 200) throw new Error(`The login returned ${response.status}: ${response.body}`);
  return (JSON.parse(response.body) as { accessToken: string }).accessToken;
}
