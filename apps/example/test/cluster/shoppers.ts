import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { seedPassword } from "../../src/seed/accounts.js";

/** The acknowledged writes, and the failures. */
export interface Shopping {
  /** Successful requests. */
  responded: number;
  failed: string[];
  /** Names of tags with acknowledged creation. */
  readonly tags: string[];
  /** Files with acknowledged upload, and their contents. */
  readonly files: { readonly url: string; readonly text: string }[];
  /** Tokens with acknowledged logout. */
  readonly ended: string[];
}

/** Clients that read, write, upload and sign in through one URL repeatedly until they are stopped. */
export class Shoppers {
  readonly seen: Shopping = { responded: 0, failed: [], tags: [], files: [], ended: [] };
  private isOver = false;
  private clients: Promise<unknown> = Promise.resolve();

  /** @param pauseMs the pause of each client between two requests */
  constructor(
    private readonly url: string,
    private readonly pauseMs: number,
  ) {}

  async begin(): Promise<void> {
    const [staff, root] = [await this.signIn("edda"), await this.signIn("root")];
    if (staff === undefined || root === undefined) throw new Error(`No user can sign in: ${this.seen.failed}`);
    const kinds = [
      ...[1, 2, 3, 4].map(() => () => this.call(200, "GET", "/api/products?limit=5&sort=-price&include=category")),
      ...[1, 2, 3].map(() => () => this.write(staff)),
      () => this.upload(root),
      () => this.signInAndOut(),
    ];
    this.clients = Promise.all(
      kinds.map(async (act) => {
        while (!this.isOver) {
          await act();
          await wait(this.pauseMs);
        }
      }),
    );
  }

  /** The failures since the last call. */
  takeFailed(): string[] {
    return this.seen.failed.splice(0);
  }

  async end(): Promise<void> {
    this.isOver = true;
    await this.clients;
  }

  async call(wanted: number, method: string, path: string, init: RequestInit = {}): Promise<Response | undefined> {
    try {
      const response = await fetch(`${this.url}${path}`, { method, ...init });
      const body = await response.arrayBuffer();
      if (response.status === wanted) {
        this.seen.responded++;
        return new Response(response.status === 204 ? null : body, response);
      }
      this.seen.failed.push(`${method} ${path} ${response.status} ${Buffer.from(body).toString().slice(0, 200)}`);
    } catch (error) {
      this.seen.failed.push(`${method} ${path} ${error} ${(error as Error).cause ?? ""}`);
    }
    return undefined;
  }

  private async write(token: string): Promise<void> {
    const name = `cluster-${randomUUID().slice(0, 18)}`;
    const made = await this.call(201, "POST", "/api/tags", {
      headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
      body: JSON.stringify({ name }),
    });
    if (made !== undefined) this.seen.tags.push(name);
  }

  private async upload(token: string): Promise<void> {
    const text = `cluster ${randomUUID()} ${"x".repeat(20_000)}`;
    const body = new FormData();
    body.set("file", new Blob([text], { type: "text/plain" }), "note.txt");
    const sent = await this.call(201, "POST", "/api/uploads/documents", {
      headers: { authorization: `Bearer ${token}` },
      body,
    });
    if (sent === undefined) return;
    const { data } = (await sent.json()) as { data: { url: string } | readonly { url: string }[] };
    for (const { url } of [data].flat()) this.seen.files.push({ url: new URL(url, this.url).pathname, text });
  }

  private async signIn(username: string): Promise<string | undefined> {
    const reply = await this.call(200, "POST", "/api/auth/login", {
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ username, password: seedPassword }),
    });
    return reply && ((await reply.json()) as { accessToken: string }).accessToken;
  }

  private async signInAndOut(): Promise<void> {
    const token = await this.signIn("ada");
    if (token === undefined) return;
    const headers = { authorization: `Bearer ${token}` };
    await this.call(200, "GET", "/api/users/me", { headers });
    if ((await this.call(204, "DELETE", "/api/auth/logout", { headers })) === undefined) return;
    this.seen.ended.push(token);
    await this.call(401, "GET", "/api/users/me", { headers });
  }
}
