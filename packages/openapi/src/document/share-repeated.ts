import type { DocumentObject } from "@servicekit/router";
import type { Operation } from "../operation/operation.js";
import type { Turn } from "./yield-between.js";

type Named = Readonly<Record<string, DocumentObject>>;

/** A part of a document that several operations share. */
export interface SharedParts {
  readonly operations: readonly Operation[];
  /** By kind of component and name. */
  readonly components: Readonly<Record<string, Named>>;
}

/** Names that components must not have. */
export interface TakenNames {
  /** Generated clients have types for parameters and schemas in one namespace. */
  readonly parameters: Named;
  readonly responses: Named;
}

/** A part that several operations may share, with its count. */
interface Part {
  readonly value: DocumentObject;
  /** Its name, in words. */
  readonly name: string;
  /** What distinguishes it from others of that name: the schema that a filter references. */
  readonly kind: string;
  /** Its count for each tag. */
  readonly tags: Map<string, number>;
  count: number;
}

/**
 * Moves what several operations share to components: parameters, response headers and responses. A filter is named by
 * its field and its type (`PriceDecimal`), a parameter of one tag also by the tag (`ProductInclude`); of those of
 * several tags, the most common has the plain name (`Limit`).
 */
export async function shareRepeated(
  operations: readonly Operation[],
  taken: TakenNames,
  turn: Turn,
): Promise<SharedParts> {
  const parts = { parameters: new Map<string, Part>(), headers: new Map(), responses: new Map() };
  const count = (of: keyof typeof parts, value: DocumentObject, [name, kind]: NameParts, tags: readonly string[]) => {
    const text = JSON.stringify(value);
    const part: Part = parts[of].get(text) ?? { value, name, kind, tags: new Map(), count: 0 };
    parts[of].set(text, part);
    part.count += 1;
    for (const tag of tags) part.tags.set(tag, (part.tags.get(tag) ?? 0) + 1);
  };
  for (const operation of operations) {
    for (const parameter of parametersOf(operation))
      count("parameters", parameter, parameterName(parameter), tagsOf(operation));
    for (const [status, response] of responsesOf(operation)) {
      if (isWorthNaming(response)) count("responses", response, responseName(status, response), []);
      for (const [name, header] of headersOf(response)) count("headers", header, [toWords(name), ""], []);
    }
    await turn();
  }
  const parameters = nameParts("parameters", parts.parameters, taken.parameters);
  const headers = nameParts("headers", separateOptional(parts.headers), {});
  const shortened = (response: DocumentObject): DocumentObject =>
    response.headers === undefined
      ? response
      : { ...response, headers: mapped(headersOf(response), (header) => headers.shared(header, [])) };
  const responses = nameParts("responses", parts.responses, taken.responses, shortened);
  const shared: Operation[] = [];
  for (const operation of operations) {
    shared.push({
      ...operation,
      ...(operation.parameters === undefined
        ? {}
        : { parameters: parametersOf(operation).map((each) => parameters.shared(each, tagsOf(operation))) }),
      responses: mapped(responsesOf(operation), (response) => responses.shared(response, [])),
    });
    await turn();
  }
  const components = { parameters: parameters.named, headers: headers.named, responses: responses.named };
  return { operations: shared, components };
}

type NameParts = readonly [name: string, kind: string];

/** `price` that references `DecimalFilter` is `PriceDecimal`. */
const parameterName = ({ name, schema }: DocumentObject): NameParts => [
  toWords(String(name)),
  referredIn(schema).replace(/Filter$/, ""),
];

/** A response is named by its body, or by its status without one. */
const responseName = (status: string, { content }: DocumentObject): NameParts => [
  bodyName(content) || (status === "304" ? "NotModified" : `Response${toWords(status)}`),
  "",
];

/** A response that contains more than a reference would. */
const isWorthNaming = ({ content, headers }: DocumentObject): boolean =>
  content === undefined ? headers !== undefined : bodyName(content) !== "";

/** The name of the schema that a body references and consists of. */
function bodyName(content: unknown): string {
  const [[, media] = [], ...more] = entriesOf(content);
  return more.length > 0 ? "" : referredIn(media?.schema);
}

/** An optional header next to a required one of the same name. */
function separateOptional(headers: ReadonlyMap<string, Part>): ReadonlyMap<string, Part> {
  const isAlways = ({ value }: Part): boolean => value.required === true;
  const always = new Set([...headers.values()].filter(isAlways).map(({ name }) => name));
  const rename = (part: Part): Part =>
    isAlways(part) || !always.has(part.name) ? part : { ...part, name: `Optional${part.name}` };
  return new Map([...headers].map(([text, part]) => [text, rename(part)]));
}

/** The name of the schema that a schema references and consists of. */
const referredIn = (schema: unknown): string =>
  String((schema as { readonly $ref?: string } | undefined)?.$ref ?? "")
    .split("/")
    .at(-1) ?? "";

/** `If-None-Match` is `IfNoneMatch`. */
const toWords = (name: string): string =>
  name
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("");

interface NamedParts {
  readonly named: Named;
  readonly shared: (value: DocumentObject, tags: readonly string[]) => DocumentObject;
}

/** @param shortened the value under the name, and the replacement of a value without one */
function nameParts(
  kind: string,
  parts: ReadonlyMap<string, Part>,
  taken: Named,
  shortened: (value: DocumentObject) => DocumentObject = (value) => value,
): NamedParts {
  const named: Record<string, DocumentObject> = {};
  const references = new Map<string, DocumentObject>();
  const give = (text: string, wanted: string, value: DocumentObject): void => {
    const name = freeName(wanted || "Other", kind, (one) => !(one in named) && !(one in taken));
    named[name] = shortened(value);
    references.set(text, { $ref: `#/components/${kind}/${name}` });
  };
  const commonest = commonestByName(parts);
  for (const [text, part] of parts) {
    const { value, name, tags, count } = part;
    // Two bodies are as long as one, its name and two references.
    if (count < ("content" in value ? 3 : 2) || "$ref" in value) continue;
    const isAlone = part.kind !== "" || tags.size === 0 || commonest.get(name) === text;
    if (isAlone) give(text, `${name}${part.kind}`, value);
    else for (const [tag, times] of tags) if (times > 1) give(text + tag, `${toWords(tag)}${name}`, value);
  }
  return {
    named: Object.fromEntries(Object.entries(named).sort(byName)),
    shared: (value, tags) => {
      const text = JSON.stringify(value);
      const reference = references.get(text) ?? tags.map((tag) => references.get(text + tag)).find(Boolean);
      return reference ?? shortened(value);
    },
  };
}

/** Of the parts of one name in several tags, the text of the most common one. */
function commonestByName(parts: ReadonlyMap<string, Part>): ReadonlyMap<string, string> {
  const found = new Map<string, { readonly text: string; readonly count: number }>();
  for (const [text, { name, kind, tags, count }] of parts) {
    if (kind === "" && tags.size > 1 && count > (found.get(name)?.count ?? 0)) found.set(name, { text, count });
  }
  return new Map([...found].map(([name, { text }]) => [name, text]));
}

/** The requested name, with the kind of component after it if it is taken, and a number if that is taken too. */
function freeName(wanted: string, kind: string, isFree: (name: string) => boolean): string {
  if (isFree(wanted)) return wanted;
  const longer = `${wanted}${toWords(kind).slice(0, -1)}`;
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? longer : `${longer}${number}`;
    if (isFree(name)) return name;
  }
}

const tagsOf = ({ tags = [] }: DocumentObject): readonly string[] => tags as readonly string[];
const parametersOf = ({ parameters = [] }: DocumentObject): readonly DocumentObject[] =>
  parameters as readonly DocumentObject[];
const entriesOf = (object: unknown): [string, DocumentObject][] => Object.entries((object ?? {}) as Named);
const responsesOf = ({ responses }: DocumentObject) => entriesOf(responses);
const headersOf = ({ headers }: DocumentObject) => entriesOf(headers);

const mapped = (
  entries: readonly [string, DocumentObject][],
  change: (value: DocumentObject) => DocumentObject,
): Named => Object.fromEntries(entries.map(([name, value]) => [name, change(value)]));

const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : 1);
