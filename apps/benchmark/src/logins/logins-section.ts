import { setTimeout as wait } from "node:timers/promises";
import { startChild, withChildren } from "../measure/child.js";
import { toEstimate } from "../measure/estimate.js";
import { type Section, showRatio } from "../report.js";
import { withAccounts } from "./with-accounts.js";

const rounds = 7;
const tries = 31;

/**
 * How much 20 concurrent logins delay other requests (contract C27), and whether the response time of a failed login reveals that a
 * user exists (contract C26).
 */
export async function loginsSections(): Promise<Section[]> {
  return withAccounts("logins by service", async ({ url, password }) => {
    const login = async (body: object): Promise<number> => {
      const began = performance.now();
      const headers = { "content-type": "application/json" };
      const response = await fetch(`${url}/api/auth/login`, { method: "POST", headers, body: JSON.stringify(body) });
      await response.text();
      if (response.status !== 200 && response.status !== 401) throw new Error(`A login returned ${response.status}.`);
      return performance.now() - began;
    };
    const right = { username: "ada", password };
    await login(right);
    const [quiet, busy, batches] = [[] as number[], [] as number[], [] as number[]];
    await withChildren([startChild("poll.js", [`${url}/api/health/live`])], async ([poll]) => {
      const slowest = async (): Promise<number> => (await poll?.query("slowest")) ?? Number.NaN;
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
        async () => unknown.push(await login({ username: `unknown${at}`, password: "a wrong password" })),
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
    title: "Concurrent logins",
    text: "Another process requests `GET /api/health/live` repeatedly, alone and while 20 users sign in at the same time (bcrypt at cost 12): the slowest response of each round, and the time of all 20 logins, in milliseconds.",
    headings: ["", "median", "highest"],
    rows: [
      row("slowest response, alone", quiet),
      row("slowest response during 20 logins", busy),
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
    title: "Timing of failed logins",
    text: `Milliseconds to the response of a failed login with an unknown user name, and with a wrong password, alternating. The medians differ by ${(Math.abs(byMedians - 1) * 100).toFixed(1)} %.`,
    headings: ["", "unknown user", "wrong password", "÷ wrong password"],
    rows: [["median", ...medians, showRatio(ratio)]],
    rounds: tries,
  };
}
