import { setTimeout as wait } from "node:timers/promises";
import { withAccounts } from "../logins/with-accounts.js";
import type { Section } from "../report.js";
import { type DearRequest, dearRequests } from "./dear-requests.js";

const rounds = 7;

interface Cost {
  readonly status: number;
  /** The longest time for which nothing else ran, in milliseconds. */
  readonly stall: number;
  /** CPU milliseconds of all threads. */
  readonly cpu: number;
  /** Milliseconds until the answer: connections of the database are held for less. */
  readonly answer: number;
  /** How much the process has grown, in bytes. */
  readonly memory: number;
}

/** What the dearest requests cost that one client can send (contract C59: the event loop is held for 50 ms at most). */
export async function costsSections(): Promise<Section[]> {
  return withAccounts("costs by service", async ({ url, password, child }) => {
    const signedIn = await fetch(`${url}/api/auth/login`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ username: "root", password }),
    });
    const { accessToken } = (await signedIn.json()) as { accessToken: string };
    const send = async (request: DearRequest): Promise<Cost> => {
      await child.ask("stall");
      const [cpu, memory] = [await child.ask("cpu"), await child.ask("memory")];
      const { body } = request;
      const began = performance.now();
      const answer = await fetch(url + request.path, {
        method: request.method,
        headers: {
          "content-type": "application/json",
          ...(request.isSignedIn === true ? { authorization: `Bearer ${accessToken}` } : {}),
          ...request.headers,
        },
        ...(body === undefined ? {} : { body: typeof body === "string" ? body : new Uint8Array(body) }),
      });
      await answer.arrayBuffer();
      const answered = performance.now() - began;
      // The stall is noted when the loop turns again.
      await wait(30);
      return {
        status: answer.status,
        answer: answered,
        stall: (await child.ask("stall")) / 1e6,
        cpu: ((await child.ask("cpu")) - cpu) / 1000,
        memory: (await child.ask("memory")) - memory,
      };
    };
    const rows: string[][] = [];
    for (const request of dearRequests(String(Date.now()))) {
      await send(request);
      const costs: Cost[] = [];
      for (let round = 0; round < rounds; round++) costs.push(await send(request));
      // The least: what else the machine does only adds.
      const least = (of: (cost: Cost) => number): string => Math.min(...costs.map(of)).toFixed(0);
      rows.push([
        request.title,
        request.isSignedIn === true ? "superuser" : "stranger",
        String(costs[0]?.status),
        least(({ stall }) => stall),
        least(({ cpu }) => cpu),
        least(({ answer }) => answer),
        (Math.max(0, ...costs.map(({ memory }) => memory)) / 2 ** 20).toFixed(0),
        request.bound,
      ]);
    }
    return [
      {
        title: "The dearest requests",
        text: "One request at a time to the example with accounts: for how long it holds the event loop, the CPU time of the process, and the time until its answer, for less of which it holds connections of the database (each the least of the rounds, in milliseconds); and by how many megabytes the process grew at the most.",
        headings: ["", "by", "answer", "holds the loop, ms", "CPU, ms", "answers in, ms", "memory, MB", "bounded by"],
        rows,
        rounds,
      },
    ];
  });
}
