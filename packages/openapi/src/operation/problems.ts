import { problemMediaType, problemType, statusPhrase } from "@servicekit/core/internal";
import type { DocumentedError, DocumentObject } from "@servicekit/router";

/** The error responses of an operation, by status. */
export type ProblemReferences = Readonly<Record<string, DocumentObject>>;

/** The named error responses of a document. */
export interface ProblemComponents {
  readonly schemas: Readonly<Record<string, DocumentObject>>;
  readonly responses: Readonly<Record<string, DocumentObject>>;
}

interface ProblemSet {
  /** The name that the operation with the most common set has for itself. */
  readonly base: string;
  readonly status: string;
  readonly errors: readonly DocumentedError[];
  /** The operations that return it, each with the reference that gets the name. */
  readonly users: { readonly kind: string; readonly id: string; readonly reference: { $ref: string } }[];
}

/**
 * The error responses of all operations: one component for each set of codes. Errors of any request are the `default`
 * response. Names are assigned at the end: the most common set of a status has the plain name, such as
 * `ValidationProblem`, others that of one of their operations before it.
 */
export class Problems {
  readonly #sets = new Map<string, ProblemSet>();

  /**
   * @param kind the name of operations of this kind, such as `createOne`
   * @returns references that are complete after {@link Problems.name}
   */
  of(errors: readonly DocumentedError[], kind: string, id: string): ProblemReferences {
    const byKey = new Map<string, Map<string, DocumentedError>>();
    for (const error of errors) {
      const key = isAnybodys(error.status) ? "default" : String(error.status);
      const codes = byKey.get(key) ?? new Map<string, DocumentedError>();
      byKey.set(key, codes);
      const name = `${error.status} ${error.code}`;
      codes.set(name, codes.get(name) ?? error);
    }
    return Object.fromEntries(
      [...byKey].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, codes]) => [key, this.#refer(key, codes, kind, id)]),
    );
  }

  #refer(status: string, codes: ReadonlyMap<string, DocumentedError>, kind: string, id: string): DocumentObject {
    const errors = [...codes].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, error]) => error);
    const text = `${status} ${JSON.stringify(errors)}`;
    const set = this.#sets.get(text) ?? { base: baseName(status, errors), status, errors, users: [] };
    this.#sets.set(text, set);
    const reference = { $ref: "" };
    set.users.push({ kind, id, reference });
    return reference;
  }

  /**
   * Assigns every set its name, and every reference its target.
   *
   * @param taken schemas that already have names
   */
  name(taken: Readonly<Record<string, unknown>>): ProblemComponents {
    const schemas: Record<string, DocumentObject> = {};
    const responses: Record<string, DocumentObject> = {};
    const sets = [...this.#sets.values()].sort(
      (a, b) => b.users.length - a.users.length || (idOf(a) < idOf(b) ? -1 : 1),
    );
    for (const { base, status, errors, users } of sets) {
      const [first] = [...users].sort((a, b) => (a.id < b.id ? -1 : 1));
      const words = ["", first?.kind ?? "", first?.id ?? ""];
      const isFree = (name: string): boolean => !(name in responses) && !(name in taken);
      const name = words.map((word) => `${capitalised(word)}${base}`).find(isFree) ?? numbered(base, isFree);
      schemas[name] = problemSchemaOf(errors);
      responses[name] = responseOf(name, status, errors);
      for (const { reference } of users) reference.$ref = `#/components/responses/${name}`;
    }
    return { schemas, responses };
  }
}

const idOf = ({ users }: ProblemSet): string => users.map(({ id }) => id).sort()[0] ?? "";

/**
 * The errors of any request: before the operation runs, for its headers (`If-Match`, `Idempotency-Key`), or when it
 * fails.
 */
const isAnybodys = (status: number): boolean =>
  [406, 408, 412, 413, 414, 415, 422, 429, 500, 502, 503, 504].includes(status);

function baseName(status: string, errors: readonly DocumentedError[]): string {
  if (status === "default") return "OtherProblem";
  if (errors.some(({ code }) => code === "ValidationError")) return "ValidationProblem";
  return `${statusPhrase(Number(status)).replace(/[^A-Za-z]+/g, "")}Problem`;
}

function problemSchemaOf(errors: readonly DocumentedError[]): DocumentObject {
  const statuses = [...new Set(errors.map(({ status }) => status))];
  const codes = [...new Set(errors.map(({ code }) => code))].sort();
  const status = statuses.length === 1 ? { const: statuses[0] } : { enum: statuses };
  return {
    allOf: [
      { $ref: "#/components/schemas/Problem" },
      { type: "object", properties: { status, code: { enum: codes } } },
    ],
  };
}

function responseOf(name: string, key: string, errors: readonly DocumentedError[]): DocumentObject {
  const isDefault = key === "default";
  const words = new Map<string, string[]>();
  for (const { status, code, description } of errors) {
    const when = `${isDefault ? `${status} ` : ""}|${description}`;
    words.set(when, [...(words.get(when) ?? []), `\`${code}\``]);
  }
  const lines = [...words].map(([when, codes]) => {
    const [status, description] = when.split("|", 2);
    return `- ${status}${codes.join(", ")}: ${description}`;
  });
  const headers = errors.some(({ status }) => status === 429 || status === 503) ? { headers: retryHeaders } : {};
  const [shown] = [...errors].reverse();
  const { status = 500, code = "", description = "" } = (isDefault ? shown : errors[0]) ?? {};
  const title = statusPhrase(status);
  return {
    description: `${isDefault ? "Errors of any request" : title}\n\n${lines.join("\n")}`,
    ...headers,
    content: {
      [problemMediaType]: {
        schema: { $ref: `#/components/schemas/${name}` },
        example: {
          type: problemType(code),
          title,
          status,
          detail: description.replaceAll("`", ""),
          instance: "/api",
          code,
        },
      },
    },
  };
}

const retryHeaders: DocumentObject = {
  "Retry-After": {
    description: "Seconds to wait before a retry, with 429 and 503.",
    schema: { type: "integer", minimum: 0 },
  },
};

const capitalised = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

function numbered(base: string, isFree: (name: string) => boolean): string {
  for (let number = 2; ; number += 1) if (isFree(`${base}${number}`)) return `${base}${number}`;
}
