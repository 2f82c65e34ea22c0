import type { z } from "zod";
import { ConfigError, type ConfigFault, makeFault } from "./config-error.js";
import { describeFound, isSecretName } from "./describe-found.js";
import { expectedWords } from "./expected-words.js";
import { joinOr } from "./join-or.js";
import { nearestKey } from "./nearest-key.js";
import { isSecretAt, knownKeysAt, metaOf, type Schema, schemasAt, unfold } from "./schema-at.js";

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

/**
 * Holds a configuration against a Zod schema (contract C38). What a schema says in `.meta({ expected: "…" })` is told
 * in place of its type, `.meta({ secret: true })` hides the values inside; keys named like a secret hide theirs anyway.
 *
 * @returns the configuration as the schema gives it, with its defaults
 * @throws {ConfigError} that tells every unknown key with the nearest known one, and every wrong or missing value
 */
export function checkConfig<Shape extends z.ZodType>(value: unknown, schema: Shape): z.output<Shape> {
  // Compiling a fast parser pays off where a schema is used often.
  const result = schema.safeParse(value, { jitless: true });
  if (result.success) return result.data;
  throw new ConfigError(result.error.issues.flatMap((issue) => faultsOf(issue, [], { value, schema })));
}

/** The whole value and its schema: what is found and expected at a place is read there. */
interface Whole {
  readonly value: unknown;
  readonly schema: Schema;
}

function faultsOf(issue: Issue, before: Path, whole: Whole): ConfigFault[] {
  const path = [...before, ...issue.path];
  if (issue.code === "unrecognized_keys") return unknownKeys(path, issue.keys, whole);
  if (issue.code === "invalid_key" || issue.code === "invalid_element") {
    return [
      { ...leafFault(path, whole, undefined), message: `${issue.issues.map(({ message }) => message).join("; ")}.` },
    ];
  }
  if (issue.code === "custom" && isSentence(issue.message)) {
    return [makeFault({ path: nameOf(path), message: issue.message })];
  }
  // A discriminated union that knows no such kind has no options to compare with.
  if (issue.code !== "invalid_union" || issue.errors.length === 0)
    return [leafFault(path, whole, expectedBy(issue, path, whole))];
  const meant = meantOption(issue);
  if (meant !== undefined) return meant.flatMap((inner) => faultsOf(inner, path, whole));
  return [leafFault(path, whole, expectedByUnion(issue, path, whole))];
}

function unknownKeys(path: Path, keys: readonly string[], whole: Whole): ConfigFault[] {
  const known = knownKeysAt(whole.schema, path);
  return keys.map((key) => {
    const nearest = nearestKey(key, known);
    const list = known.length === 0 ? "no key" : known.join(", ");
    const message = nearest === undefined ? `There is no such key; known here: ${list}.` : "There is no such key.";
    return makeFault({ path: nameOf([...path, key]), ...(nearest === undefined ? {} : { nearest }), message });
  });
}

function leafFault(path: Path, whole: Whole, expected: string | undefined): ConfigFault {
  const value = valueAt(whole.value, path);
  const nearest = typeof value === "string" ? nearestKey(value, valuesIn(expected)) : undefined;
  return makeFault({
    path: nameOf(path),
    found: describeFound(value, isSecretPlace(path, whole.schema)),
    ...(expected === undefined ? {} : { expected }),
    ...(nearest === undefined ? {} : { nearest: JSON.stringify(nearest) }),
  });
}

function expectedBy(issue: Issue, path: Path, { schema }: Whole): string | undefined {
  // A check of one's own may stand on any type, so only what is said of it counts.
  const wordsOf = (one: Schema): readonly string[] =>
    issue.code === "custom" ? unfold(one).flatMap((inner) => metaOf(inner).expected ?? []) : (expectedWords(one) ?? []);
  const words = schemasAt(schema, path).flatMap(wordsOf);
  return words.length === 0 ? expectedByIssue(issue) : joinOr(words);
}

/** The author of a check either says what is expected, or writes a sentence of their own. */
const isSentence = (message: string): boolean => message !== "Invalid input" && !/^expected /i.test(message);

/** Where the schema has no words, the issue or the author of its check has: `expected a function`. */
function expectedByIssue(issue: Issue): string | undefined {
  if (issue.code === "invalid_type") {
    const { expected } = issue;
    return /^[A-Z]/.test(expected) ? `an instance of ${expected}` : `a ${expected}`;
  }
  const { message } = issue;
  return message === "Invalid input" ? undefined : message.replace(/^expected /i, "").replace(/\.$/, "");
}

type UnionIssue = Extract<Issue, { code: "invalid_union" }>;

/** The option of a union that the value is of the kind of: what is wrong with it lies inside. */
function meantOption({ errors }: UnionIssue): Issue[] | undefined {
  const inside = errors.filter((issues) =>
    issues.every(
      ({ path, code }) =>
        path.length > 0 || !["invalid_type", "invalid_value", "custom", "invalid_union"].includes(code),
    ),
  );
  return inside.sort((a, b) => a.length - b.length)[0];
}

function expectedByUnion(issue: UnionIssue, path: Path, { schema }: Whole): string | undefined {
  const here = schemasAt(schema, path);
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

const nameOf = (path: Path): string => path.map(String).join(".") || "the configuration";

function isSecretPlace(path: Path, schema: Schema): boolean {
  return path.some((key) => isSecretName(String(key))) || isSecretAt(schema, path);
}

function valueAt(value: unknown, path: Path): unknown {
  let at = value;
  for (const key of path) {
    if (typeof at !== "object" || at === null) return undefined;
    at = at instanceof Map ? at.get(key) : Reflect.get(at, key);
  }
  return at;
}
