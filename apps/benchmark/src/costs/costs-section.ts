import { setTimeout as wait } from "node:timers/promises";
import { withAccounts } from "../logins/with-accounts.js";
import type { Section } from "../report.js";
import { type ExpensiveRequest, expensiveRequests } from "./expensive-requests.js";

const rounds = 7;

interface Cost {
  readonly status: number;
  /** The longest time in which the event loop was blocked, in milliseconds. */
  readonly stall: number;
  /** CPU milliseconds of all threads. */
  readonly cpu: number;
  /** Milliseconds until the response: database connections are used for less. */
  readonly response: number;
  /** The growth of the process, in bytes. */
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
      const response = await fetch(url + request.path, {
        method: request.method,
        headers: {
          "content-type": "application/json",
          ...(request.isSignedIn === true ? { authorization: `Bearer ${accessToken}` } : {}),
          ...request.headers,
        },
        ...(body === undefined ? {} : { body: typeof body === "string" ? body : new Uint8Array(body) }),
      });
      await response.arrayBuffer();
      const responded = performance.now() - began;
      // The delay is recorded in the next tick of the event loop.
      await wait(30);
      return {
        status: response.status,
        response: responded,
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
      // The minimum, because other programs only add to it.
      const min = (of: (cost: Cost) => number): string => Math.min(...costs.map(of)).toFixed(0);
      rows.push([
        request.title,
        request.isSignedIn === true ? "superuser" : "anonymous",
        String(costs[0]?.status),
        min(({ stall }) => stall),
        min(({ cpu }) => cpu),
        min(({ response }) => response),
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
