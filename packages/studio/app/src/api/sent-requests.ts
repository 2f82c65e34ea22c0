/** One request of this page, for the requests drawer. */
export interface SentRequest {
  readonly id: number;
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** The parts of a form with files, in curl's format. */
  readonly form?: readonly string[] | undefined;
  /** The same as a call of `@servicekit/client`; absent if the client has no such call. */
  readonly code: string | undefined;
  readonly status?: number;
  readonly ms?: number;
}

const max = 100;
let requests: readonly SentRequest[] = [];
let count = 0;
const listeners = new Set<() => void>();

function change(next: readonly SentRequest[]): void {
  requests = next;
  for (const listener of listeners) listener();
}

/** The last requests, newest first. */
export const sentRequests = {
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  read: (): readonly SentRequest[] => requests,
  clear: (): void => change([]),
};

/** Records a request, and later its outcome. */
export function noteRequest(request: Omit<SentRequest, "id" | "status" | "ms">): (status: number) => void {
  count += 1;
  const id = count;
  const begin = performance.now();
  change([{ ...request, id }, ...requests].slice(0, max));
  return (status) => {
    const ms = Math.round(performance.now() - begin);
    change(requests.map((each) => (each.id === id ? { ...each, status, ms } : each)));
  };
}

/** The names of fields that must not be shown. */
const secrets = /password|secret|token$/i;

/** The parts of a form, files by name. */
export const toParts = (form: FormData): readonly string[] =>
  [...form].map(([name, value]) =>
    typeof value === "string" ? `${name}=${secrets.test(name) ? "…" : value}` : `${name}=@${value.name}`,
  );

/** A body without secrets. */
export function withoutSecrets(body: string | undefined): string | undefined {
  if (body === undefined) return undefined;
  try {
    return JSON.stringify(JSON.parse(body, (key, value) => (secrets.test(key) ? "…" : value)));
  } catch {
    return body;
  }
}

const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** A request as a shell command. With cookie authentication, the command uses a token. */
export function toCurl({ method, url, headers, body, form }: SentRequest, isSignedIn: boolean): string {
  const parts = [`curl -g ${method === "GET" ? "" : `-X ${method} `}${quote(decodeURI(url))}`];
  for (const [name, value] of Object.entries(headers)) {
    // curl writes the content type of a form itself, with the boundary.
    if (form !== undefined && name === "content-type") continue;
    if (name !== "authorization" && name !== "accept") parts.push(`-H ${quote(`${name}: ${value}`)}`);
  }
  if (isSignedIn) parts.push(`-H "authorization: Bearer $TOKEN"`);
  if (body !== undefined) parts.push(`-d ${quote(body)}`);
  for (const part of form ?? []) parts.push(`-F ${quote(part)}`);
  return parts.join(" \\\n  ");
}

/** A value as source code, without secrets. */
export function toLiteral(value: unknown): string {
  if (value instanceof FormData) return "form";
  if (Array.isArray(value)) return `[${value.map(toLiteral).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "undefined";
  const entries = Object.entries(value).filter(([, each]) => each !== undefined);
  if (entries.length === 0) return "{}";
  const named = entries.map(
    ([name, each]) =>
      `${/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name)}: ${toLiteral(secrets.test(name) ? "…" : each)}`,
  );
  return `{ ${named.join(", ")} }`;
}
