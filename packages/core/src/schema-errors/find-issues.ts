import { z } from "zod";
import { joinOr } from "../errors/join-or.js";
import { nearestWord } from "../errors/nearest-word.js";
import { makeStartupIssue, type StartupIssue } from "../errors/start-error.js";
import { describeFound } from "./describe-found.js";
import { expectedWords } from "./expected-words.js";
import { isSecretAt, knownKeysAt, memberOf, metaOf, type Schema, schemasAt, unfold } from "./schema-at.js";
import { isSecretName } from "./secret-name.js";

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

/**
 * Validates a value against a Zod schema (contract C38): returns every unknown key with the nearest known one, and
 * every wrong or missing value. `.meta({ expected: "…" })` of a schema replaces its type in the message, `.meta({
 * secret: true })` hides the values inside. Values under keys with the name of a secret are always hidden.
 *
 * @param at the place of the value, with which the places of its issues start
 */
export function findIssues(value: unknown, schema: Schema, at = ""): StartupIssue[] {
  // Compiling a parser pays off for schemas that are used often.
  const result = z.safeParse(schema, value, { jitless: true });
  if (result.success) return [];
  return result.error.issues.flatMap((issue) => issuesOf(issue, [], { value, schema, at }));
}

/** The complete value and its schema, to look up what is found and expected at a place. */
interface Root {
  readonly value: unknown;
  readonly schema: Schema;
  /** The place of the complete value. */
  readonly at: string;
}

function issuesOf(issue: Issue, before: Path, root: Root): StartupIssue[] {
  const path = [...before, ...issue.path];
  if (issue.code === "unrecognized_keys") return unknownKeys(path, issue.keys, root);
  if (issue.code === "invalid_key" || issue.code === "invalid_element") {
    return [
      { ...leafIssue(path, root, undefined), message: `${issue.issues.map(({ message }) => message).join("; ")}.` },
    ];
  }
  if (issue.code === "custom" && isSentence(issue.message)) {
    const isMissing = path.reduce(memberOf, root.value) === undefined;
    const found = isMissing ? { found: "nothing" } : {};
    return [makeStartupIssue({ where: nameOf(path, root), ...found, message: issue.message })];
  }
  // A discriminated union has no options for an unknown discriminator.
  if (issue.code !== "invalid_union" || issue.errors.length === 0)
    return [leafIssue(path, root, expectedBy(issue, path, root))];
  const meant = meantOption(issue);
  if (meant !== undefined) return meant.flatMap((inner) => issuesOf(inner, path, root));
  return [leafIssue(path, root, expectedByUnion(issue, path, root))];
}

function unknownKeys(path: Path, keys: readonly string[], root: Root): StartupIssue[] {
  const known = knownKeysAt(root.schema, path, root.value);
  return keys.map((key) => {
    const nearest = nearestWord(key, known);
    const hint = known.length === 0 ? "no keys are allowed here" : `expected one of: ${known.join(", ")}`;
    const message = nearest === undefined ? `Unknown key; ${hint}.` : "Unknown key.";
    return makeStartupIssue({
      where: nameOf([...path, key], root),
      ...(nearest === undefined ? {} : { nearest }),
      message,
    });
  });
}

function leafIssue(path: Path, root: Root, expected: string | undefined): StartupIssue {
  const value = path.reduce(memberOf, root.value);
  const values = valuesIn(expected);
  // A value that is expected inside of an object, such as its type, is no correction of itself.
  const nearest = typeof value === "string" && !values.includes(value) ? nearestWord(value, values) : undefined;
  return makeStartupIssue({
    where: nameOf(path, root),
    found: describeFound(value, isSecretPlace(path, root.schema)),
    ...(expected === undefined ? {} : { expected }),
    ...(nearest === undefined ? {} : { nearest: JSON.stringify(nearest) }),
  });
}

function expectedBy(issue: Issue, path: Path, { schema, value }: Root): string | undefined {
  // A custom check may have any type, so only its metadata counts.
  const wordsOf = (one: Schema): readonly string[] =>
    issue.code === "custom" ? unfold(one).flatMap((inner) => metaOf(inner).expected ?? []) : (expectedWords(one) ?? []);
  const words = schemasAt(schema, path, value).flatMap(wordsOf);
  return words.length === 0 ? expectedByIssue(issue) : joinOr(words);
}

/** The author of a check sets either what is expected or a full sentence. */
const isSentence = (message: string): boolean => message !== "Invalid input" && !/^expected /i.test(message);

/** If the schema has no description, the issue or the author of its check has one: `expected a function`. */
function expectedByIssue(issue: Issue): string | undefined {
  if (issue.code === "invalid_type") {
    const { expected } = issue;
    if (expected === "nonoptional") return "a value";
    return /^[A-Z]/.test(expected) ? `an instance of ${expected}` : `a ${expected}`;
  }
  const { message } = issue;
  return message === "Invalid input" ? undefined : message.replace(/^expected /i, "").replace(/\.$/, "");
}

type UnionIssue = Extract<Issue, { code: "invalid_union" }>;

/** The option of a union to which the value belongs: its issues are inside it. */
function meantOption({ errors }: UnionIssue): Issue[] | undefined {
  const inside = errors.flatMap((issues) => {
    const [first] = issues;
    // A union inside a union is one union with more options.
    if (issues.length === 1 && first?.code === "invalid_union" && first.path.length === 0 && first.errors.length > 0) {
      const meant = meantOption(first);
      return meant === undefined ? [] : [meant];
    }
    return issues.every(isInside) ? [issues] : [];
  });
  return inside.sort((a, b) => a.length - b.length)[0];
}

const isInside = ({ path, code }: Issue): boolean =>
  path.length > 0 || !["invalid_type", "invalid_value", "custom", "invalid_union"].includes(code);

function expectedByUnion(issue: UnionIssue, path: Path, { schema, value }: Root): string | undefined {
  const here = schemasAt(schema, path, value);
  const stated = here
    .flatMap(unionAndWrappers)
    .map((one) => metaOf(one).expected)
    .find((expected) => expected !== undefined);
  if (stated !== undefined) return stated;
  const union = here.flatMap((one) => unfold(one)).find((one) => optionsOf(one).length === issue.errors.length);
  const options = union === undefined ? [] : optionsOf(union);
  const words = issue.errors.flatMap(([first], index) => {
    const option = options[index];
    const described = option === undefined ? undefined : expectedWords(option);
    return described ?? (first === undefined ? [] : (expectedByIssue(first) ?? []));
  });
  return words.length === 0 ? undefined : joinOr(words);
}

/** A union with the schemas that wrap it, such as `optional`, but without its options: they describe only a part. */
function unionAndWrappers(schema: Schema): readonly Schema[] {
  const inside = unfold(schema);
  return inside.slice(0, inside.findIndex(({ _zod: { def } }) => def.type === "union") + 1);
}

const optionsOf = ({ _zod: { def } }: z.core.$ZodTypes): readonly Schema[] => (def.type === "union" ? def.options : []);

/** The quoted texts of an expectation. */
const valuesIn = (expected = ""): string[] => [...expected.matchAll(/"([^"]+)"/g)].map(([, value = ""]) => value);

/** `limits.page.max`, and `bodyParser[0].options` for items of a list. */
const nameOf = (path: Path, { at }: Root): string =>
  [...(at === "" ? [] : [at]), ...path.map(String)].join(".") || "the configuration";

function isSecretPlace(path: Path, schema: Schema): boolean {
  return path.some((key) => isSecretName(String(key))) || isSecretAt(schema, path);
}
