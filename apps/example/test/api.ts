import { expect } from "vitest";
import { type ContractCheck, makeContractCheck } from "./contract-check.js";

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
export type Row = Record<string, Json>;

export interface Meta {
  readonly total?: number;
  readonly count: number;
  readonly limit: number;
  readonly page?: number;
  readonly pages?: number;
  /** `null`, or absent, on the last page. */
  readonly nextCursor?: string | null;
}

export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly instance: string;
  readonly code: string;
  readonly requestId: string;
  readonly errors?: { readonly in: string; readonly path: string; readonly code: string; readonly message: string }[];
}

export interface Reply<Body> {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: Body;
}

/** The shop's API for a client. A string body is sent unchanged. */
export interface Api {
  call<Body = Json>(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Reply<Body>>;
  /** A list; any status but 200 fails the test with the response text. */
  list(path: string): Promise<{ readonly data: Row[]; readonly meta: Meta; readonly headers: Headers }>;
  /** One row; any status but 200 and 201 fails the test. */
  one(method: string, path: string, body?: unknown): Promise<Row>;
  /** A rejected request; the response must have the status, and the form of contract C3. */
  rejected(status: number, method: string, path: string, body?: unknown): Promise<Problem>;
}

/** Every response is validated against the API's own document (contract C47), if the service has one. */
function contractOf(url: string): () => Promise<ContractCheck> {
  let made: Promise<ContractCheck> | undefined;
  const make = async (): Promise<ContractCheck> => {
    const response = await fetch(`${url}/api/api-docs.json`);
    return response.status === 200 ? makeContractCheck(await response.json()) : () => [];
  };
  return () => (made ??= make());
}

export function makeApi(url: string): Api {
  const check = contractOf(url);
  const call: Api["call"] = async <Body>(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ) => {
    const response = await fetch(url + path, {
      method,
      redirect: "manual",
      headers: body === undefined ? headers : { "content-type": "application/json", ...headers },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const { status } = response;
    const sent = body === undefined || typeof body === "string" ? undefined : JSON.parse(JSON.stringify(body));
    const issues = (await check())({ method, path, sent, status, headers: response.headers, text });
    for (const issue of issues) expect.fail(issue);
    // One style of codes, wherever they come from.
    if (response.status >= 400 && text.startsWith("{")) {
      const { errors = [] } = JSON.parse(text) as { errors?: readonly { code: string }[] };
      for (const { code } of errors) expect(code).toMatch(/^([A-Z][a-z0-9]*)+$/);
    }
    const isJson = /json/.test(response.headers.get("content-type") ?? "") && text !== "";
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: (isJson ? JSON.parse(text) : undefined) as Body,
    };
  };
  return {
    call,
    list: async (path) => {
      const reply = await call<{ data: Row[]; meta: Meta }>("GET", path);
      if (reply.status !== 200) expect.fail(`GET ${path} returned ${reply.status}: ${reply.text}`);
      return { ...reply.body, headers: reply.headers };
    },
    one: async (method, path, body) => {
      const reply = await call<{ data: Row }>(method, path, body);
      if (reply.status > 201) expect.fail(`${method} ${path} returned ${reply.status}: ${reply.text}`);
      return reply.body.data;
    },
    rejected: async (status, method, path, body) => {
      const reply = await call<Problem>(method, path, body);
      if (reply.status !== status) {
        expect.fail(`${method} ${path} returned ${reply.status} instead of ${status}: ${reply.text}`);
      }
      expect(reply.headers.get("content-type")).toMatch(/^application\/problem\+json/);
      expect(reply.body).toMatchObject({
        type: expect.any(String),
        title: expect.any(String),
        status,
        detail: expect.any(String),
        instance: path.replace(/\?.*/s, ""),
        code: expect.stringMatching(/^([A-Z][a-z0-9]*)+$/),
        requestId: reply.headers.get("x-request-id"),
      });
      expect(reply.text).not.toMatch(
        /prisma(?!QueryOptions)|P\d{4}\b|SQLSTATE|node_modules|\bat \S+:\d+:\d+|[a-z]_[a-z_]+_(key|fkey)\b/i,
      );
      return reply.body;
    },
  };
}
