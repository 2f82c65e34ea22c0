/** A change of an API that may break an existing client. */
export interface BreakingChange {
  /** Such as `GET /api/posts`. */
  readonly operation: string;
  readonly message: string;
}

type Json = Readonly<Record<string, unknown>>;

const methods = ["get", "post", "put", "patch", "delete", "head", "options"] as const;

/**
 * The breaking changes of a newer OpenAPI document: removed operations, responses, response fields and accepted values,
 * and new requirements.
 */
export function breakingChanges(older: Json, newer: Json): readonly BreakingChange[] {
  const changes: BreakingChange[] = [];
  for (const [path, before] of entriesOf(older.paths)) {
    for (const method of methods) {
      const [one, other] = [objectOf(before)[method], objectOf(objectOf(newer.paths)[path])[method]];
      if (one === undefined) continue;
      const operation = `${method.toUpperCase()} ${path}`;
      const report = (message: string): void => void changes.push({ operation, message });
      if (other === undefined) report("was removed");
      else compareOperations(resolved(one, older), resolved(other, newer), { older, newer, report });
    }
  }
  return changes;
}

interface Context {
  readonly older: Json;
  readonly newer: Json;
  readonly report: (message: string) => void;
}

function compareOperations(before: Json, after: Json, context: Context): void {
  const { older, newer, report } = context;
  const known = byName(before.parameters, older);
  const now = byName(after.parameters, newer);
  for (const [name, parameter] of known) {
    const other = now.get(name);
    if (other === undefined) report(`no longer accepts the parameter ${name}`);
    else compareSchemas(parameter.schema, other.schema, { ...context, place: `the parameter ${name}`, isInput: true });
  }
  for (const [name, parameter] of now) {
    if (parameter.required === true && known.get(name)?.required !== true) report(`requires the parameter ${name}`);
  }
  const [body, newBody] = [resolved(before.requestBody, older), resolved(after.requestBody, newer)];
  if (newBody.required === true && body.required !== true) report("requires a body");
  compareContents(body.content, newBody.content, { ...context, place: "the body", isInput: true });
  for (const [status, response] of entriesOf(before.responses)) {
    const other = objectOf(after.responses)[status];
    // Removing an error breaks no client.
    if (other === undefined && /^2/.test(status)) report(`no longer returns ${status}`);
    if (other === undefined || !/^2/.test(status)) continue;
    const [one, two] = [resolved(response, older), resolved(other, newer)];
    compareContents(one.content, two.content, { ...context, place: `the response ${status}`, isInput: false });
  }
}

/** The parameters by location and name. */
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
  /** True for what clients send, false for what they receive. */
  readonly isInput: boolean;
  /** The pairs that are being compared, because schemas may be recursive. */
  readonly above?: readonly string[];
}

function compareContents(before: unknown, after: unknown, context: SchemaContext): void {
  for (const [type, content] of entriesOf(before)) {
    const other = objectOf(after)[type];
    if (other === undefined) context.report(`${context.place} is no longer ${type}`);
    else compareSchemas(objectOf(content).schema, objectOf(other).schema, context);
  }
}

function compareSchemas(given: unknown, other: unknown, context: SchemaContext): void {
  const { older, newer, place, isInput, report, above = [] } = context;
  const pair = `${refOf(given)} ${refOf(other)}`;
  if (given === undefined || other === undefined || (pair !== " " && above.includes(pair))) return;
  const inner = { ...context, above: [...above, pair] };
  const [before, after] = [merged(given, older), merged(other, newer)];
  const [types, newTypes] = [typesOf(before), typesOf(after)];
  // A changed value: one that clients may no longer send, or that they did not receive before.
  const [wide, narrow] = isInput ? [types, newTypes] : [newTypes, types];
  const lost = wide.filter((type) => narrow.length > 0 && !covers(narrow, type));
  if (lost.length > 0) report(`${place} ${isInput ? "no longer accepts" : "may now be"} ${lost.join(" or ")}`);
  const [values, newValues] = [listOf(before.enum), listOf(after.enum)];
  const [all, fewer] = isInput ? [values, newValues] : [newValues, values];
  const missing = fewer.length === 0 ? [] : all.filter((value) => !fewer.includes(value));
  if (missing.length > 0) report(`${place} ${isInput ? "no longer accepts" : "may now be"} ${missing.join(", ")}`);
  compareLimits(before, after, inner);
  const properties = objectOf(before.properties);
  const newProperties = objectOf(after.properties);
  const [required, newRequired] = [listOf(before.required), listOf(after.required)];
  for (const [name, property] of Object.entries(properties)) {
    const at = `${place}, ${name},`;
    if (newProperties[name] === undefined) {
      if (!isInput || after.additionalProperties === false)
        report(`${place} no longer ${isInput ? "accepts" : "has"} ${name}`);
    } else compareSchemas(property, newProperties[name], { ...inner, place: at });
  }
  if (isInput)
    for (const name of newRequired) if (!required.includes(name)) report(`${place} requires ${String(name)}`);
  if (!isInput)
    for (const name of required)
      if (!newRequired.includes(name) && newProperties[String(name)] !== undefined)
        report(`${place} may omit ${String(name)}`);
  if (before.items !== undefined) compareSchemas(before.items, after.items, { ...inner, place: `${place} (each)` });
}

function compareLimits(before: Json, after: Json, { isInput, place, report }: SchemaContext): void {
  if (!isInput) return;
  for (const key of ["maxLength", "maximum", "maxItems"] as const) {
    const [was, is] = [before[key] ?? Number.POSITIVE_INFINITY, after[key] ?? Number.POSITIVE_INFINITY];
    if (Number(is) < Number(was)) report(`${place} has the maximum ${Number(is)} (${key})`);
  }
  for (const key of ["minLength", "minimum", "minItems"] as const) {
    const [was, is] = [before[key] ?? Number.NEGATIVE_INFINITY, after[key] ?? Number.NEGATIVE_INFINITY];
    if (Number(is) > Number(was) && !(Number(is) === 0)) report(`${place} has the minimum ${Number(is)} (${key})`);
  }
}

/** A schema merged with its `allOf`. */
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
