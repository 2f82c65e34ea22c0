import { setTimeout as wait } from "node:timers/promises";
import { withAccounts } from "../logins/with-accounts.js";
import type { Section } from "../report.js";
import { type ExpensiveRequest, expensiveRequests } from "./expensive-requests.js";

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

/** The cost of the most expensive requests that one client can send (contract C59: the event loop blocks for at most 50 ms). */
export async function costsSections(): Promise<Section[]> {
  return withAccounts("costs by service", async ({ url, password, child }) => {
    const signedIn = await fetch(`${url}/api/auth/login`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ username: "root", password }),
    });
    const { accessToken } = (await signedIn.json()) as { accessToken: string };
    const send = async (request: ExpensiveRequest): Promise<Cost> => {
      await child.query("stall");
      const [cpu, memory] = [await child.query("cpu"), await child.query("memory")];
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
        stall: (await child.query("stall")) / 1e6,
        cpu: ((await child.query("cpu")) - cpu) / 1000,
        memory: (await child.query("memory")) - memory,
      };
    };
    const rows: string[][] = [];
    for (const request of expensiveRequests(String(Date.now()))) {
      await send(request);
      const costs: Cost[] = [];
      for (let round = 0; round < rounds; round++) costs.push(await send(request));
      // The least: what else the machine does only adds.
      const least = (of: (cost: Cost) => number): string => Math.min(...costs.map(of)).toFixed(0);
      rows.push([
        request.title,
        request.isSignedIn === true ? "superuser" : "anonymous",
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
        title: "Expensive requests",
        text: "One request at a time to the example with accounts: how long it blocks the event loop, its CPU time, and the time to its response (each the minimum of the rounds), and the largest growth of the process.",
        headings: [
          "",
          "caller",
          "status",
          "blocks the loop, ms",
          "CPU, ms",
          "response, ms",
          "memory, MB",
          "limited by",
        ],
        rows,
        rounds,
      },
    ];
  });
}
