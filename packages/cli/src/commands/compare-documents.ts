/** A change of an API that may break a program that was written for it. */
export interface BreakingChange {
  /** Such as `GET /api/posts`. */
  readonly operation: string;
  readonly message: string;
}

type Json = Readonly<Record<string, unknown>>;

const methods = ["get", "post", "put", "patch", "delete", "head", "options"] as const;

/**
 * What a newer OpenAPI document takes away from programs that know the older one: operations, answers, fields of answers,
 * values that were accepted; and what it asks for beyond it.
 */
export function breakingChanges(older: Json, newer: Json): readonly BreakingChange[] {
  const changes: BreakingChange[] = [];
  for (const [path, before] of entriesOf(older.paths)) {
    for (const method of methods) {
      const [one, other] = [objectOf(before)[method], objectOf(objectOf(newer.paths)[path])[method]];
      if (one === undefined) continue;
      const operation = `${method.toUpperCase()} ${path}`;
      const tell = (message: string): void => void changes.push({ operation, message });
      if (other === undefined) tell("is gone");
      else compareOperations(resolved(one, older), resolved(other, newer), { older, newer, tell });
    }
  }
  return changes;
}

interface Context {
  readonly older: Json;
  readonly newer: Json;
  readonly tell: (message: string) => void;
}

function compareOperations(before: Json, after: Json, context: Context): void {
  const { older, newer, tell } = context;
  const known = byName(before.parameters, older);
  const now = byName(after.parameters, newer);
  for (const [name, parameter] of known) {
    const other = now.get(name);
    if (other === undefined) tell(`no longer takes the parameter ${name}`);
    else compareSchemas(parameter.schema, other.schema, { ...context, place: `the parameter ${name}`, isInput: true });
  }
  for (const [name, parameter] of now) {
    if (parameter.required === true && known.get(name)?.required !== true) tell(`asks for the parameter ${name}`);
  }
  const [body, newBody] = [resolved(before.requestBody, older), resolved(after.requestBody, newer)];
  if (newBody.required === true && body.required !== true) tell("asks for a body");
  compareContents(body.content, newBody.content, { ...context, place: "the body", isInput: true });
  for (const [status, response] of entriesOf(before.responses)) {
    const other = objectOf(after.responses)[status];
    // An error less breaks nobody.
    if (other === undefined && /^2/.test(status)) tell(`no longer answers ${status}`);
    if (other === undefined || !/^2/.test(status)) continue;
    const [one, two] = [resolved(response, older), resolved(other, newer)];
    compareContents(one.content, two.content, { ...context, place: `the answer ${status}`, isInput: false });
  }
}

/** The parameters by where they stand and what they are called. */
function byName(parameters: unknown, document: Json): ReadonlyMap<string, Json> {
  const list = Array.isArray(parameters) ? parameters : [];
  return new Map(
    list.map((given) => {
      const parameter = resolved(given, document);
      return [`${String(parameter.name)} (${String(parameter.in)})`, parameter];
    }),
  );
}

interface SchemaContext extends Context {
  readonly place: string;
  /** What clients send; else what they get. */
  readonly isInput: boolean;
  /** The pairs above that are being compared: schemas may hold themselves. */
  readonly above?: readonly string[];
}

function compareContents(before: unknown, after: unknown, context: SchemaContext): void {
  for (const [type, content] of entriesOf(before)) {
    const other = objectOf(after)[type];
    if (other === undefined) context.tell(`${context.place} is no longer ${type}`);
    else compareSchemas(objectOf(content).schema, objectOf(other).schema, context);
  }
}

function compareSchemas(given: unknown, other: unknown, context: SchemaContext): void {
  const { older, newer, place, isInput, tell, above = [] } = context;
  const pair = `${refOf(given)} ${refOf(other)}`;
  if (given === undefined || other === undefined || (pair !== " " && above.includes(pair))) return;
  const inner = { ...context, above: [...above, pair] };
  const [before, after] = [merged(given, older), merged(other, newer)];
  const [types, newTypes] = [typesOf(before), typesOf(after)];
  // A value that nobody expected: clients sent it and may no longer, or get it and did not before.
  const [wide, narrow] = isInput ? [types, newTypes] : [newTypes, types];
  const lost = wide.filter((type) => narrow.length > 0 && !covers(narrow, type));
  if (lost.length > 0) tell(`${place} ${isInput ? "no longer takes" : "may now be"} ${lost.join(" or ")}`);
  const [values, newValues] = [listOf(before.enum), listOf(after.enum)];
  const [all, fewer] = isInput ? [values, newValues] : [newValues, values];
  const missing = fewer.length === 0 ? [] : all.filter((value) => !fewer.includes(value));
  if (missing.length > 0) tell(`${place} ${isInput ? "no longer takes" : "may now be"} ${missing.join(", ")}`);
  compareLimits(before, after, inner);
  const properties = objectOf(before.properties);
  const newProperties = objectOf(after.properties);
  const [required, newRequired] = [listOf(before.required), listOf(after.required)];
  for (const [name, property] of Object.entries(properties)) {
    const at = `${place}, ${name},`;
    if (newProperties[name] === undefined) {
      if (!isInput || after.additionalProperties === false)
        tell(`${place} no longer ${isInput ? "takes" : "has"} ${name}`);
    } else compareSchemas(property, newProperties[name], { ...inner, place: at });
  }
  if (isInput) for (const name of newRequired) if (!required.includes(name)) tell(`${place} asks for ${String(name)}`);
  if (!isInput)
    for (const name of required)
      if (!newRequired.includes(name) && newProperties[String(name)] !== undefined)
        tell(`${place} may lack ${String(name)}`);
  if (before.items !== undefined) compareSchemas(before.items, after.items, { ...inner, place: `${place} (each)` });
}

function compareLimits(before: Json, after: Json, { isInput, place, tell }: SchemaContext): void {
  if (!isInput) return;
  for (const key of ["maxLength", "maximum", "maxItems"] as const) {
    const [was, is] = [before[key] ?? Number.POSITIVE_INFINITY, after[key] ?? Number.POSITIVE_INFINITY];
    if (Number(is) < Number(was)) tell(`${place} takes no more than ${Number(is)} (${key})`);
  }
  for (const key of ["minLength", "minimum", "minItems"] as const) {
    const [was, is] = [before[key] ?? Number.NEGATIVE_INFINITY, after[key] ?? Number.NEGATIVE_INFINITY];
    if (Number(is) > Number(was) && !(Number(is) === 0)) tell(`${place} takes no less than ${Number(is)} (${key})`);
  }
}

/** A schema with what `allOf` adds to it. */
function merged(given: unknown, document: Json): Json {
  const { allOf, ...schema } = resolved(given, document);
  const parts = [schema, ...listOf(allOf).map((part) => merged(part, document))];
  return {
    ...Object.assign({}, ...parts),
    properties: Object.assign({}, ...parts.map(({ properties }) => objectOf(properties))),
    required: parts.flatMap(({ required }) => listOf(required)),
  };
}

function typesOf(schema: Json): readonly string[] {
  const alternatives = [...listOf(schema.anyOf), ...listOf(schema.oneOf)];
  const own = listOf(schema.type === undefined || Array.isArray(schema.type) ? schema.type : [schema.type]);
  const inner = alternatives.flatMap((one) => typesOf(objectOf(one)));
  return [...new Set([...own.map(String), ...inner])];
}

const covers = (types: readonly string[], type: string): boolean =>
  types.includes(type) || (type === "integer" && types.includes("number"));

function resolved(given: unknown, document: Json): Json {
  const ref = refOf(given);
  if (ref === "") return objectOf(given);
  const parts = ref.replace(/^#\//, "").split("/");
  const found = parts.reduce<unknown>(
    (at, part) => objectOf(at)[decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~")],
    document,
  );
  return resolved(found, document);
}

const refOf = (given: unknown): string => String(objectOf(given).$ref ?? "");
const objectOf = (value: unknown): Json =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : {};
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const entriesOf = (value: unknown): [string, unknown][] => Object.entries(objectOf(value));
