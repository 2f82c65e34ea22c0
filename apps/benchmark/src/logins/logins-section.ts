import { setTimeout as wait } from "node:timers/promises";
import { startChild, withChildren } from "../measure/child.js";
import { toEstimate } from "../measure/estimate.js";
import { type Section, showRatio } from "../report.js";
import { withAccounts } from "./with-accounts.js";

const rounds = 7;
const tries = 31;

/**
 * What 20 logins at once do to others (contract C27: nobody waits 50 ms more), and whether the time of a refused login
 * tells who exists (contract C26: within 5 %).
 */
export async function loginsSections(): Promise<Section[]> {
  return withAccounts("logins by service", async ({ url, password }) => {
    const login = async (body: object): Promise<number> => {
      const began = performance.now();
      const headers = { "content-type": "application/json" };
      const response = await fetch(`${url}/api/auth/login`, { method: "POST", headers, body: JSON.stringify(body) });
      await response.text();
      if (response.status !== 200 && response.status !== 401) throw new Error(`A login answered ${response.status}.`);
      return performance.now() - began;
    };
    const right = { username: "ada", password };
    await login(right);
    const [quiet, busy, batches] = [[] as number[], [] as number[], [] as number[]];
    await withChildren([startChild("poll.js", [`${url}/api/health/live`])], async ([poll]) => {
      const slowest = async (): Promise<number> => (await poll?.ask("slowest")) ?? Number.NaN;
      await wait(500);
      for (let round = 0; round < rounds; round++) {
        await slowest();
        await wait(1500);
        quiet.push(await slowest());
        const began = performance.now();
        await Promise.all(Array.from({ length: 20 }, () => login(right)));
        batches.push(performance.now() - began);
        busy.push(await slowest());
      }
    });

    const [unknown, wrong] = [[] as number[], [] as number[]];
    for (let at = 0; at < tries; at++) {
      const pair = [
        async () => unknown.push(await login({ username: `nobody${at}`, password: "a wrong password" })),
        async () => wrong.push(await login({ username: "ben", password: "a wrong password" })),
      ];
      for (const one of at % 2 === 0 ? pair : pair.reverse()) await one();
    }
    return [toBusySection(quiet, busy, batches), toTimingSection(unknown, wrong)];
  });
}

const show = (milliseconds: number): string => milliseconds.toFixed(1);

function toBusySection(quiet: readonly number[], busy: readonly number[], batches: readonly number[]): Section {
  const row = (title: string, all: readonly number[]): readonly string[] => [
    title,
    show(toEstimate(all).median),
    show(Math.max(...all)),
  ];
  return {
    title: "20 logins at once",
    text: "`GET /api/health/live`, asked again and again by a process of its own while nobody else asks, and while 20 users sign in at once (bcrypt at cost 12): the slowest answer of each round, in milliseconds, then how long the 20 logins took together.",
    headings: ["", "median", "highest"],
    rows: [
      row("slowest answer, alone", quiet),
      row("slowest answer beside 20 logins", busy),
      row("20 logins", batches),
    ],
    rounds,
  };
}

function toTimingSection(unknown: readonly number[], wrong: readonly number[]): Section {
  const ratio = toEstimate(unknown.map((time, at) => time / (wrong[at] ?? Number.NaN)));
  const medians = [unknown, wrong].map((times) => show(toEstimate(times).median));
  const byMedians = toEstimate(unknown).median / toEstimate(wrong).median;
  return {
    title: "Who exists",
    text: `Milliseconds until a refused login is answered: for a name that nobody has, and for a name with a wrong password, by turns. The medians differ by ${(Math.abs(byMedians - 1) * 100).toFixed(1)} %.`,
    headings: ["", "unknown name", "wrong password", "÷ wrong password"],
    rows: [["median", ...medians, showRatio(ratio)]],
    rounds: tries,
  };
}
