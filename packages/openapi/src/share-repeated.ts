import type { DocumentObject } from "@servicekit/router";
import type { Turn } from "./take-turns.js";

type Operations = Readonly<Record<string, DocumentObject>>;
type Named = Readonly<Record<string, DocumentObject>>;

/** What stands in a document once, though several operations have it. */
export interface SharedParts {
  readonly paths: Readonly<Record<string, Operations>>;
  /** By kind of component and name. */
  readonly components: Readonly<Record<string, Named>>;
}

interface Part {
  readonly value: DocumentObject;
  readonly name: string;
  readonly tags: Set<string>;
  count: number;
}

/**
 * Gives what several operations have a name, so that it stands in the document once: parameters, headers of answers, and
 * answers without a body. A parameter that only one tag has is named after it (`Product.price`).
 */
export async function shareRepeated(paths: Readonly<Record<string, Operations>>, turn: Turn): Promise<SharedParts> {
  const parts = { parameters: new Map<string, Part>(), headers: new Map(), responses: new Map() };
  const count = (kind: keyof typeof parts, value: DocumentObject, name: string, tags: readonly string[]): void => {
    const text = JSON.stringify(value);
    const part = parts[kind].get(text) ?? { value, name, tags: new Set<string>(), count: 0 };
    parts[kind].set(text, part);
    part.count += 1;
    for (const tag of tags) part.tags.add(tag);
  };
  for (const operations of Object.values(paths)) {
    for (const operation of Object.values(operations)) {
      const tags = (operation.tags ?? []) as readonly string[];
      for (const parameter of parametersOf(operation)) count("parameters", parameter, String(parameter.name), tags);
      for (const [status, response] of responsesOf(operation)) {
        if (isBare(response)) count("responses", response, status === "304" ? "NotModified" : `Answer${status}`, []);
        for (const [name, header] of headersOf(response)) count("headers", header, name, []);
      }
      await turn();
    }
  }
  const parameters = nameParts("parameters", parts.parameters);
  const headers = nameParts("headers", parts.headers);
  const shortened = (response: DocumentObject): DocumentObject =>
    response.headers === undefined ? response : { ...response, headers: mapped(headersOf(response), headers.shared) };
  const responses = nameParts("responses", parts.responses, shortened);
  const whole: Record<string, Operations> = {};
  for (const [path, operations] of Object.entries(paths)) {
    whole[path] = mapped(Object.entries(operations), (operation) => ({
      ...operation,
      ...(operation.parameters === undefined ? {} : { parameters: parametersOf(operation).map(parameters.shared) }),
      responses: mapped(responsesOf(operation), (response) =>
        isBare(response) ? responses.shared(response) : shortened(response),
      ),
    }));
    await turn();
  }
  const components = { parameters: parameters.named, headers: headers.named, responses: responses.named };
  return { paths: whole, components };
}

/** @param shortened what stands under the name, and in place of a value that has none */
function nameParts(
  kind: string,
  parts: ReadonlyMap<string, Part>,
  shortened: (value: DocumentObject) => DocumentObject = (value) => value,
): { readonly named: Named; readonly shared: (value: DocumentObject) => DocumentObject } {
  const named: Record<string, DocumentObject> = {};
  const references = new Map<string, DocumentObject>();
  for (const [text, { value, name: own, tags, count }] of parts) {
    if (count < 2 || "$ref" in value) continue;
    const [tag] = tags;
    const wanted = (tags.size === 1 ? `${tag}.${own}` : own).replace(/[^\w.-]+/g, "_");
    let name = wanted;
    for (let number = 2; name in named; number += 1) name = `${wanted}${number}`;
    named[name] = shortened(value);
    references.set(text, { $ref: `#/components/${kind}/${name}` });
  }
  return {
    named: Object.fromEntries(Object.entries(named).sort(byName)),
    shared: (value) => references.get(JSON.stringify(value)) ?? shortened(value),
  };
}

const parametersOf = ({ parameters = [] }: DocumentObject): readonly DocumentObject[] =>
  parameters as readonly DocumentObject[];
const entriesOf = (object: unknown): [string, DocumentObject][] => Object.entries((object ?? {}) as Named);
const responsesOf = ({ responses }: DocumentObject) => entriesOf(responses);
const headersOf = ({ headers }: DocumentObject) => entriesOf(headers);

/** An answer without a body that says more than a reference would. */
const isBare = (response: DocumentObject): boolean => response.content === undefined && response.headers !== undefined;

const mapped = (
  entries: readonly [string, DocumentObject][],
  change: (value: DocumentObject) => DocumentObject,
): Named => Object.fromEntries(entries.map(([name, value]) => [name, change(value)]));

const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : 1);
