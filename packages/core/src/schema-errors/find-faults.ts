import { z } from "zod";
import { joinOr } from "../errors/join-or.js";
import { nearestWord } from "../errors/nearest-word.js";
import { makeStartFault, type StartFault } from "../errors/start-error.js";
import { describeFound, isSecretName } from "./describe-found.js";
import { expectedWords } from "./expected-words.js";
import { isSecretAt, knownKeysAt, memberOf, metaOf, type Schema, schemasAt, unfold } from "./schema-at.js";

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

/**
 * What is wrong with a value by a Zod schema (contract C38): every unknown key with the nearest known one, and every wrong
 * or missing value. What a schema says in `.meta({ expected: "…" })` is told in place of its type, `.meta({ secret: true })`
 * hides the values inside; keys named like a secret hide theirs anyway.
 *
 * @param at the place of the value, which the places of its faults begin with
 */
export function findFaults(value: unknown, schema: Schema, at = ""): StartFault[] {
  // Compiling a fast parser pays off where a schema is used often.
  const result = z.safeParse(schema, value, { jitless: true });
  if (result.success) return [];
  return result.error.issues.flatMap((issue) => faultsOf(issue, [], { value, schema, at }));
}

/** The whole value and its schema: what is found and expected at a place is read there. */
interface Whole {
  readonly value: unknown;
  readonly schema: Schema;
  /** Where the whole stands. */
  readonly at: string;
}

function faultsOf(issue: Issue, before: Path, whole: Whole): StartFault[] {
  const path = [...before, ...issue.path];
  if (issue.code === "unrecognized_keys") return unknownKeys(path, issue.keys, whole);
  if (issue.code === "invalid_key" || issue.code === "invalid_element") {
    return [
      { ...leafFault(path, whole, undefined), message: `${issue.issues.map(({ message }) => message).join("; ")}.` },
    ];
  }
  if (issue.code === "custom" && isSentence(issue.message)) {
    const isMissing = path.reduce(memberOf, whole.value) === undefined;
    const found = isMissing ? { found: "nothing" } : {};
    return [makeStartFault({ where: nameOf(path, whole), ...found, message: issue.message })];
  }
  // A discriminated union that knows no such kind has no options to compare with.
  if (issue.code !== "invalid_union" || issue.errors.length === 0)
    return [leafFault(path, whole, expectedBy(issue, path, whole))];
  const meant = meantOption(issue);
  if (meant !== undefined) return meant.flatMap((inner) => faultsOf(inner, path, whole));
  return [leafFault(path, whole, expectedByUnion(issue, path, whole))];
}

function unknownKeys(path: Path, keys: readonly string[], whole: Whole): StartFault[] {
  const known = knownKeysAt(whole.schema, path, whole.value);
  return keys.map((key) => {
    const nearest = nearestWord(key, known);
    const list = known.length === 0 ? "no key" : known.join(", ");
    const message = nearest === undefined ? `There is no such key; known here: ${list}.` : "There is no such key.";
    return makeStartFault({
      where: nameOf([...path, key], whole),
      ...(nearest === undefined ? {} : { nearest }),
      message,
    });
  });
}

function leafFault(path: Path, whole: Whole, expected: string | undefined): StartFault {
  const value = path.reduce(memberOf, whole.value);
  const nearest = typeof value === "string" ? nearestWord(value, valuesIn(expected)) : undefined;
  return makeStartFault({
    where: nameOf(path, whole),
    found: describeFound(value, isSecretPlace(path, whole.schema)),
    ...(expected === undefined ? {} : { expected }),
    ...(nearest === undefined ? {} : { nearest: JSON.stringify(nearest) }),
  });
}

function expectedBy(issue: Issue, path: Path, { schema, value }: Whole): string | undefined {
  // A check of one's own may stand on any type, so only what is said of it counts.
  const wordsOf = (one: Schema): readonly string[] =>
    issue.code === "custom" ? unfold(one).flatMap((inner) => metaOf(inner).expected ?? []) : (expectedWords(one) ?? []);
  const words = schemasAt(schema, path, value).flatMap(wordsOf);
  return words.length === 0 ? expectedByIssue(issue) : joinOr(words);
}

/** The author of a check either says what is expected, or writes a sentence of their own. */
const isSentence = (message: string): boolean => message !== "Invalid input" && !/^expected /i.test(message);

/** Where the schema has no words, the issue or the author of its check has: `expected a function`. */
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

/** The option of a union that the value is of the kind of: what is wrong with it lies inside. */
function meantOption({ errors }: UnionIssue): Issue[] | undefined {
  const inside = errors.flatMap((issues) => {
    const [first] = issues;
    // A union inside of a union is one with more options.
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

function expectedByUnion(issue: UnionIssue, path: Path, { schema, value }: Whole): string | undefined {
  const here = schemasAt(schema, path, value);
  const told = here.map((one) => metaOf(one).expected).find((expected) => expected !== undefined);
  if (told !== undefined) return told;
  const union = here.flatMap((one) => unfold(one)).find((one) => optionsOf(one).length === issue.errors.length);
  const options = union === undefined ? [] : optionsOf(union);
  const words = issue.errors.flatMap(([first], index) => {
    const option = options[index];
    const described = option === undefined ? undefined : expectedWords(option);
    return described ?? (first === undefined ? [] : (expectedByIssue(first) ?? []));
  });
  return words.length === 0 ? undefined : joinOr(words);
}

const optionsOf = ({ _zod: { def } }: z.core.$ZodTypes): readonly Schema[] => (def.type === "union" ? def.options : []);

/** The texts that an expectation names in quotes. */
const valuesIn = (expected = ""): string[] => [...expected.matchAll(/"([^"]+)"/g)].map(([, value = ""]) => value);

/** `limits.page.max`, and `bodyParser[0].options` for what stands in a list below a place. */
const nameOf = (path: Path, { at }: Whole): string =>
  [...(at === "" ? [] : [at]), ...path.map(String)].join(".") || "the configuration";

function isSecretPlace(path: Path, schema: Schema): boolean {
  return path.some((key) => isSecretName(String(key))) || isSecretAt(schema, path);
}
