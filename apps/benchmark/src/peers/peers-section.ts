import { randomBytes } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { toEstimate } from "../measure/estimate.js";
import { firstClients, type Side, withSides } from "../measure/http-subject.js";
import { type LoadRequest, makeLoadClient } from "../measure/load.js";
import { toRawSubject } from "../measure/raw-subject.js";
import { type Effort, joinMeasured, type Measured, measureInRounds, type Subject } from "../measure/rounds.js";
import { type Section, showCost, showRatio } from "../report.js";
import { userName, userPassword, withShopDatabase } from "../shop/shop-database.js";
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
  { name: "peer: Express, same middlewares", title: "Express + Prisma, same middlewares", dialect: plain },
  { name: "peer: Express", title: "Express + Prisma", dialect: plain },
  { name: "peer: Fastify", title: "Fastify + Prisma", dialect: plain },
  { name: "peer: ZenStack RPC", title: "ZenStack RPC", dialect: zenstackRpc },
  { name: "peer: ZenStack REST", title: "ZenStack REST", dialect: zenstackRest },
  { name: "peer: NestJS", title: "NestJS + Prisma", dialect: plain },
  { name: "peer: pg", title: "node:http + pg", dialect: plain },
  { name: "peer: service, reads by Prisma", title: "service, by Prisma", dialect: plain },
];
/** How many of them the picture shows. */
const drawn = 6;

const effort: Effort = { warmUp: 4_000_000, round: 250_000, mostRounds: 8 };
/** How often the sides are started: what a process costs depends on guesses that V8 makes in it alone. */
const starts = 2;
/** How often they are started in each of these for the long list: a start is one look at the highest use of memory. */
const startsOfLongList = 2;
/** The one row that is not CPU time. */
const slowest = "list of 20, p99 at 32 connections";
const picture = path.join(import.meta.dirname, "..", "..", "..", "..", "docs", "explanation", "benchmarks.svg");

/**
 * The service with all its defaults beside the same API in other frameworks, all by hand.
 *
 * @param pinned keeps what serves to a processor of its own
 */
export async function peersSections(pinned: Readonly<Record<string, string>>): Promise<Section[]> {
  const environment = { JWT_SECRET: randomBytes(48).toString("base64url"), ...pinned };
  /** By the title of the request; the subjects of the last start stand for those of the same names before. */
  const known = new Map<string, { measured: Measured; subjects: readonly Subject[] }>();
  const keep = (title: string, measured: Measured, subjects: readonly Subject[]): void => {
    const before = known.get(title);
    known.set(title, { measured: before === undefined ? measured : joinMeasured(before.measured, measured), subjects });
    console.error(`  ${rowOf(title, measured, subjects).join(" | ")}`);
  };
  const measure = async (sides: readonly Side[], { title, next }: PeerRequests): Promise<void> => {
    const clients = firstClients(sides);
    await checkSameData(
      clients.map((client, at) => ({ client, dialect: peers[at]?.dialect ?? plain })),
      next,
    );
    const subjects = sides.map((side) => toSubject(side, next));
    keep(title, await measureInRounds(subjects, [], effort), subjects);
  };
  const time = async (sides: readonly Side[], { next }: PeerRequests): Promise<void> =>
    keep(
      slowest,
      await measureSlowest(sides.map((side) => ({ side, next: nextFor(side, next) }))),
      sides.map((side) => toSubject(side, next)),
    );
  const peaks: number[][] = [];
  const names = peers.map(({ name }) => name);
  for (let start = 0; start < starts; start++) {
    // Its own rows each time: the last requests add to them.
    await withShopDatabase(async (databaseUrl) => {
      const given = { ...environment, DATABASE_URL: databaseUrl };
      await withSides(
        names,
        given,
        async (sides) => {
          const requests = makePeerRequests(await signIn(sides[0] as Side));
          for (const kind of requests) {
            await measure(sides, kind);
            if (kind === requests[0]) await time(sides, kind);
          }
        },
        1,
      );
      for (let look = 0; look < startsOfLongList; look++) {
        // Fresh processes: the highest use of memory is that of this list alone.
        await withSides(
          names,
          given,
          async (sides) => {
            await measure(sides, longList);
            peaks.push(await Promise.all(sides.map(peakOf)));
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
    const whole = measured.cost(subjects[1] as Subject).median;
    return { title, values: subjects.slice(0, drawn).map((subject) => measured.cost(subject).median / whole) };
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
      title: "Beside other frameworks",
      text: `![CPU time for each request, as a part of Express with the same middlewares](benchmarks.svg)\n\nThe service with all its defaults (request id, access log, security headers, CORS, cookies, compression, rate limit, authentication), beside the same API by hand, on the same database and rows. “Same middlewares” is Express with all of these but authentication, each as one mounts it by hand; the others have nothing but their routes, so they do less. What serves has one processor of this machine and no rest, the clients have the other. The last row is of the clock: how long the slowest hundredth of these lists took at the least, at 32 connections. ${tellPeaks(peaks)}`,
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
function nextFor({ name }: Side, next: () => LoadRequest): () => LoadRequest {
  const dialect = peers.find((peer) => peer.name === name)?.dialect ?? plain;
  return () => dialect.translate(next());
}

const toSubject = (side: Side, next: () => LoadRequest): Subject =>
  toRawSubject(
    side.name,
    side.processes.map(({ child }) => child),
    nextFor(side, next),
  );

function rowOf(title: string, measured: Measured, subjects: readonly Subject[]): string[] {
  const [ours, ...others] = subjects as [Subject, ...Subject[]];
  return [title, showCost(measured.cost(ours)), ...others.map((by) => showRatio(measured.ratio(ours, by)))];
}

/** The highest use of memory of each side, and that of the service by that of each other side, over all starts. */
function tellPeaks(peaks: readonly (readonly number[])[]): string {
  const sides = peers.map(({ title }, at) => {
    const own = toEstimate(peaks.map((of) => of[at] ?? Number.NaN)).median.toFixed(0);
    const ratio = toEstimate(peaks.map((of) => (of[0] ?? Number.NaN) / (of[at] ?? Number.NaN)));
    return at === 0 ? `${title} ${own}` : `${title} ${own} (÷ ${showRatio(ratio)})`;
  });
  return `Peak memory of the list of 1,000, in MB, over ${peaks.length} starts: ${sides.join(", ")}.`;
}

const peakOf = async ({ processes }: Side): Promise<number> =>
  ((await processes[0]?.child.ask("peak")) ?? Number.NaN) / 2 ** 20;

async function signIn({ processes }: Side): Promise<string> {
  const client = makeLoadClient(processes[0]?.child.ready ?? 0);
  const body = JSON.stringify({ username: userName, password: userPassword });
  const answer = await client.ask({ method: "POST", path: "/api/auth/login", body });
  client.close();
  if (answer.status !== 200) throw new Error(`Signing in was answered ${answer.status}: ${answer.body}`);
  return (JSON.parse(answer.body) as { accessToken: string }).accessToken;
}
