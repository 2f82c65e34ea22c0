import type { DocumentObject, RouteDocumentation } from "@servicekit/router";
import { settableKeys } from "../resource/body/settable-keys.js";
import { type WritableModels } from "../resource/body/writable-model.js";
import { hasRowRule } from "../resource/config/has-row-rule.js";
import { type Operation } from "../resource/config/operation.js";
import type { SettableKey } from "../resource/key.js";
import { type Resource, type Resources } from "../resource/resource.js";
import { bodyComponents } from "./body-components.js";
import { componentNames, reference } from "./component-names.js";
import { commonComponents, keyDocuments, keyExample, rowComponents } from "./components.js";
import { deletedParameterDocuments } from "./deleted-document.js";
import type { DocumentationSettings, DocumentedModel } from "./documentation-settings.js";
import { dryRunParameter, exportText, withDryRun, withExports, withImports } from "./file-documents.js";
import { filterDocuments, listParameterDocuments, readParameterDocuments } from "./list-parameters.js";
import { operationErrors } from "./operation-errors.js";
import { upsertParameters, upsertResponses } from "./upsert-document.js";
import { type Words, wordsOf } from "./words-of.js";

type Components = Readonly<Record<string, DocumentObject>>;

/** The options of the generated documentation. */
export interface DocumentationSource {
  readonly resources: Resources;
  readonly writables: WritableModels;
  readonly settings: DocumentationSettings;
  /** Whether access is checked: then some callers may write what they may not read. */
  readonly isGuarded: boolean;
  /** Whether the number of rows is limited. */
  readonly isLimited?: boolean;
  /** Whether a bulk create may meet existing rows. */
  readonly takesUpserts?: boolean;
  /** The named schemas of models so far, which many routes share. */
  readonly made: Map<object, Components>;
  /** The named filter schemas so far. */
  readonly filters: Map<string, DocumentObject>;
}

/** The API documentation of one generated route (contract C47). */
export function operationDocumentation(
  operation: Operation,
  resource: Resource,
  source: DocumentationSource,
): RouteDocumentation {
  const { resources, writables, settings } = source;
  const { model } = resource;
  const config = settings.models[model.name] ?? {};
  const { query, schemas } = config;
  const writable = writables.get(model.name);
  const names = componentNames(model.name);
  const context: Context = {
    ...{ operation, resource, settings, names, filters: source.filters },
    exports: config.export === true,
    imports: config.import === true,
    conflicts: source.takesUpserts === true && writable !== undefined ? settableKeys(writable) : undefined,
    mayHide: source.isGuarded || query?.findMany?.where !== undefined || query?.findOne?.where !== undefined,
  };
  const related = relatedResources(resource, resources);
  const hidesRows = (name: string): boolean =>
    hasRowRule("findMany", settings.models[name] ?? {}) || resources.get(name)?.deletedField !== undefined;
  const once = (model: object, make: () => Components): Components => {
    const components = source.made.get(model) ?? make();
    source.made.set(model, components);
    return components;
  };
  const components = Object.assign(
    {},
    ...related.map((each) =>
      once(each, () => {
        const fields = settings.models[each.model.name]?.auth?.fields;
        const mayHide = (name: string): boolean => fields !== undefined && fields["*"]?.includes(name) !== true;
        return rowComponents(each, { mayHide, hidesRows });
      }),
    ),
    commonComponents,
    operation === "deleteMany" ? rowIds(resource) : {},
    isFiltered(operation) ? filterDocuments(resource, source.filters).components : {},
    ...(writable === undefined || !/^(create|update)/.test(operation)
      ? []
      : [once(writable, () => bodyComponents(writable, writables))]),
  );
  const requestBody = bodyOf(context);
  const moduleBody = moduleBodyOf(operation, schemas);
  return {
    summary: summaries[operation](wordsOf(resource)),
    description: descriptionOf(context),
    tags: [model.name],
    parameters: [...pathParameters(context), ...queryParameters(context)],
    ...(requestBody === undefined ? {} : { requestBody }),
    ...(moduleBody === undefined ? {} : { moduleBody }),
    responses: responsesOf(context),
    errors: operationErrors(operation, {
      hasRowRule: hasRowRule(operation, config),
      exports: context.exports,
      isLimited: source.isLimited === true,
      takesDeleted: deletedParameterDocuments(operation, resource).length > 0,
    }),
    components,
  };
}

const isFiltered = (operation: Operation): boolean => /^(find|update|delete)Many$/.test(operation);

interface Context {
  readonly filters: DocumentationSource["filters"];
  readonly operation: Operation;
  readonly resource: Resource;
  readonly settings: DocumentationSettings;
  readonly names: ReturnType<typeof componentNames>;
  /** Whether the list can be a file, and the bulk create reads files and has dry runs. */
  readonly exports: boolean;
  readonly imports: boolean;
  /** The keys that find existing rows of a bulk create; `undefined` if it only creates. */
  readonly conflicts: readonly SettableKey[] | undefined;
  /** Whether some callers may write rows of which they may read nothing (contract C57). */
  readonly mayHide: boolean;
}

const summaries: Readonly<Record<Operation, (words: Words) => string>> = {
  findMany: ({ many }) => `List ${many}`,
  findOne: ({ a }) => `Retrieve ${a}`,
  createOne: ({ a }) => `Create ${a}`,
  createMany: ({ many }) => `Create many ${many}`,
  updateOne: ({ a }) => `Update ${a}`,
  updateMany: ({ many }) => `Update many ${many}`,
  deleteOne: ({ a }) => `Delete ${a}`,
  deleteMany: ({ many }) => `Delete many ${many}`,
  restoreOne: ({ a }) => `Restore ${a}`,
};

/** The model and all models that can be included: the possible contents of a response. */
function relatedResources(resource: Resource, resources: Resources): readonly Resource[] {
  const found = new Set([resource]);
  for (const each of found) {
    for (const { type } of each.relations.values()) {
      const related = resources.get(type);
      if (related !== undefined) found.add(related);
    }
  }
  return [...found];
}

const upsertText =
  " With `onConflict`, items whose row exists update it or are skipped; `meta.statuses` has the status of each item.";

const restorable = " It can be restored.";

function descriptionOf({ operation, resource, settings, conflicts, exports }: Context): string {
  const { a, one, many } = wordsOf(resource);
  switch (operation) {
    case "findMany":
      return `Returns a page of ${many}. ${filterText(resource, settings)}${exports ? exportText(settings.exportRows) : ""}`;
    case "findOne":
      return `Returns the ${one} with this id. \`fields\` and \`include\` select its contents.`;
    case "createOne":
      return `Creates ${a} and returns it. \`Location\` is its path.`;
    case "createMany":
      return `Creates up to ${resource.bulkItems} ${many}: all or none.${conflicts === undefined ? "" : upsertText}`;
    case "updateOne":
      return `Updates the given fields and returns the ${one}.`;
    case "updateMany":
      return `Updates the ${many} in a list by \`id\`, or with one object all that match the filters.`;
    case "deleteOne":
      return `Deletes the ${one} with this id.${resource.deletedField === undefined ? "" : restorable}`;
    case "deleteMany":
      return `Deletes the ${many} in \`ids\`, or all that match the filters.${resource.deletedField === undefined ? "" : restorable}`;
    case "restoreOne":
      return `Restores the deleted ${one} with this id, and the rows that were deleted with it.`;
  }
}

/** The syntax of filters: the notations, the groups, and the conditions on a related row. */
function filterText({ listed, relations }: Resource, { query, parseDoubleUnderscore }: Context["settings"]): string {
  const [field = "id"] = listed.keys();
  const [relation] = relations.keys();
  const notations = `\`${field}[not]=…\`${parseDoubleUnderscore ? ` or \`${field}__not=…\`` : ""}`;
  const path = parseDoubleUnderscore ? `${relation}__…` : `${relation}[…]`;
  const through = relation === undefined ? "" : ` \`${path}\` filters by related rows.`;
  return `Up to ${query.terms} filters (${notations}) combine with AND. \`or[0][…]\` and \`not[…]\` group them.${through}`;
}

const pathParameters = ({ resource, operation }: Context): readonly DocumentObject[] =>
  !/One$/.test(operation) || operation === "createOne" ? [] : [keyParameter(resource)];

/** The key of a row in a path. */
export function keyParameter(resource: Resource): DocumentObject {
  const fields = resource.model.key?.fields ?? [];
  const names = fields.map(({ name }) => name).join(", ");
  const description = fields.length === 1 ? `The ${names}.` : `The values of ${names}, separated by commas.`;
  const schema = { type: "string" };
  return { name: "id", in: "path", required: true, description, schema, example: keyExample(resource) };
}

function queryParameters(context: Context): readonly DocumentObject[] {
  const { resource, operation, settings, filters, conflicts, imports } = context;
  const ofDeleted = deletedParameterDocuments(operation, resource);
  switch (operation) {
    case "findMany":
      return [...listParameterDocuments(resource, { ...settings, filters }), ...ofDeleted, ifNoneMatch];
    case "findOne":
      return [...readParameterDocuments(resource, settings), ...ofDeleted, ifNoneMatch];
    case "updateMany":
    case "deleteMany":
      return [...filterDocuments(resource, filters).parameters, ...ofDeleted];
    case "updateOne":
    case "deleteOne":
    case "restoreOne":
      return [...ofDeleted, ifMatch];
    case "createMany":
      return [...(conflicts === undefined ? [] : upsertParameters(conflicts)), ...(imports ? [dryRunParameter] : [])];
    default:
      return [];
  }
}

export const ifNoneMatch: DocumentObject = {
  name: "If-None-Match",
  in: "header",
  description: "The `ETag` of a cached response: 304 if it is still current.",
  schema: { type: "string" },
};

const ifMatch: DocumentObject = {
  name: "If-Match",
  in: "header",
  description: "The `ETag` of the row as it was read: 412 if it has changed since.",
  schema: { type: "string" },
};

function bodyOf({ operation, resource, names, imports }: Context): DocumentObject | undefined {
  const content = (schema: DocumentObject): DocumentObject => ({ content: { "application/json": { schema } } });
  const json = (schema: DocumentObject): DocumentObject => ({ required: true, ...content(schema) });
  const max = resource.bulkItems;
  switch (operation) {
    case "createOne":
      return json(reference(names.create));
    case "updateOne":
      return json(reference(names.update));
    case "createMany": {
      const list = reference(names.createList);
      const body = json({
        anyOf: [list, { type: "object", properties: { data: list }, required: ["data"], additionalProperties: false }],
      });
      return imports ? withImports(body, names) : body;
    }
    case "updateMany": {
      const list = { type: "array", items: reference(names.item), minItems: 1, maxItems: max };
      return json({ anyOf: [list, reference(names.update)] });
    }
    case "deleteMany":
      return content(reference("RowIds"));
    default:
      return undefined;
  }
}

/** The rows of a bulk. */
const rowIds = ({ bulkItems }: Resource): Components => ({
  RowIds: {
    type: "object",
    properties: { ids: { type: "array", items: keyDocuments.any, minItems: 1, maxItems: bulkItems } },
    required: ["ids"],
    additionalProperties: false,
  },
});

function moduleBodyOf(operation: Operation, schemas: DocumentedModel["schemas"]): RouteDocumentation["moduleBody"] {
  const isMany = operation === "createMany" || operation === "updateMany";
  if (schemas === undefined || !/^(create|update)/.test(operation)) return undefined;
  const schema = schemas[operation] ?? schemas[operation.startsWith("create") ? "create" : "update"];
  return schema === undefined ? undefined : { schema, isList: isMany };
}

function responsesOf({
  operation,
  resource,
  names,
  mayHide,
  conflicts,
  exports,
  imports,
}: Context): Readonly<Record<string, DocumentObject>> {
  const response = (description: string, name: string, headers: DocumentObject = {}): DocumentObject => ({
    description,
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    content: { "application/json": { schema: reference(name) } },
  });
  // A write returns what a read would return.
  const isWhole = resource.shown.findOne.names.size === resource.fields.size + resource.computed.size;
  const tagged: DocumentObject = { ETag: mayHide || !isWhole ? sometimesEtag : etag };
  const unseen = mayHide ? { 204: { description: "Done. The caller may not read the rows." } } : {};
  const orNothing = mayHide ? " Without a body if the caller may not read the row." : "";
  switch (operation) {
    case "findMany": {
      const page = response("A page.", names.page, { Link: link, ETag: exports ? etagOfJson : etag });
      return { 200: exports ? withExports(page, names) : page, 304: notModified };
    }
    case "findOne":
      return { 200: response("The row.", names.response, { ETag: etag }), 304: notModified };
    case "createOne":
      return {
        201: response(`The row that was created.${orNothing}`, names.response, { Location: location, ...tagged }),
      };
    case "updateOne":
      return { 200: response("The updated row.", names.response, tagged), ...unseen };
    case "restoreOne":
      return { 200: response("The restored row.", names.response, tagged), ...unseen };
    case "deleteOne":
      return { 204: { description: "The row is deleted." } };
    case "createMany": {
      const created =
        conflicts === undefined
          ? { 201: response(`The rows that were created.${orNothing}`, names.responses) }
          : upsertResponses(names, orNothing, unseen);
      return imports ? withDryRun(created) : created;
    }
    case "updateMany":
      return { 200: response("The updated rows.", names.responses), ...unseen };
    case "deleteMany":
      return { 200: response("The number of deleted rows.", "DeletedCount") };
  }
}

const header = (description: string): DocumentObject => ({ description, schema: { type: "string" } });
const always = (description: string): DocumentObject => ({ ...header(description), required: true });
const etagText = "The version of this response, for `If-None-Match` and `If-Match` (RFC 9110).";
export const etag = always(etagText);
const sometimesEtag = header(`${etagText} Absent if the caller may only read a part of the row.`);
const etagOfJson = header(`${etagText} Absent from files.`);
export const link = header("The pages `first`, `prev`, `next` and `last`, if they exist (RFC 8288).");
const location = always("The path of the row.");

/** The response to a conditional read. */
export const notModified: DocumentObject = {
  description: "The response named by `If-None-Match` is still current.",
  headers: { ETag: etag },
};
