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
  /** `null`, or not there, on the last page. */
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

export interface Answer<Body> {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: Body;
}

/** The shop's API as a client sees it. A body that is a string is sent as it stands. */
export interface Api {
  call<Body = Json>(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Answer<Body>>;
  /** A list; anything but 200 fails the test with the answer's text. */
  list(path: string): Promise<{ readonly data: Row[]; readonly meta: Meta; readonly headers: Headers }>;
  /** One row; anything but 200 and 201 fails the test. */
  one(method: string, path: string, body?: unknown): Promise<Row>;
  /** A refused request; the answer must have the status, and the shape of contract C3. */
  refused(status: number, method: string, path: string, body?: unknown): Promise<Problem>;
}

/** Every answer is held against the API's own document (contract C47); a service without one is not. */
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
    const faults = (await check())({ method, path, sent, status, headers: response.headers, text });
    for (const fault of faults) expect.fail(fault);
    // One style of codes, wherever they come from (F42).
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
      const answer = await call<{ data: Row[]; meta: Meta }>("GET", path);
      if (answer.status !== 200) expect.fail(`GET ${path} answered ${answer.status}: ${answer.text}`);
      return { ...answer.body, headers: answer.headers };
    },
    one: async (method, path, body) => {
      const answer = await call<{ data: Row }>(method, path, body);
      if (answer.status > 201) expect.fail(`${method} ${path} answered ${answer.status}: ${answer.text}`);
      return answer.body.data;
    },
    refused: async (status, method, path, body) => {
      const answer = await call<Problem>(method, path, body);
      if (answer.status !== status) {
        expect.fail(`${method} ${path} answered ${answer.status} in place of ${status}: ${answer.text}`);
      }
      expect(answer.headers.get("content-type")).toMatch(/^application\/problem\+json/);
      expect(answer.body).toMatchObject({
        type: expect.any(String),
        title: expect.any(String),
        status,
        detail: expect.any(String),
        instance: path.replace(/\?.*/s, ""),
        code: expect.stringMatching(/^([A-Z][a-z0-9]*)+$/),
        requestId: answer.headers.get("x-request-id"),
      });
      expect(answer.text).not.toMatch(
        /prisma(?!QueryOptions)|P\d{4}\b|SQLSTATE|node_modules|\bat \S+:\d+:\d+|[a-z]_[a-z_]+_(key|fkey)\b/i,
      );
      return answer.body;
    },
  };
}
