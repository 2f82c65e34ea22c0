import { type Models, readModels } from "@servicekit/prisma";
import { defaultQueryLimits } from "@servicekit/query-parser";
import type { RouteDocumentation } from "@servicekit/router";
import { describe, expect, it } from "vitest";
import { models as data } from "../../test/generated/records/models.js";
import { models as shelfData } from "../../test/generated/shelf/models.js";
import { makeWritableModels } from "../resource/body/writable-model.js";
import type { Operation } from "../resource/config/operation.js";
import type { ResourceConfig, ResourceSettings } from "../resource/config/resource-config.js";
import { resourcePaths } from "../resource/path.js";
import { makeResources, type Resource } from "../resource/resource.js";
import { aggregateDocumentation } from "./aggregate-documentation.js";
import type { DocumentationSettings } from "./documentation-settings.js";
import { eventsDocumentation } from "./events-documentation.js";
import { historyDocumentation } from "./history-documentation.js";
import { operationDocumentation } from "./operation-documentation.js";
import { replaceDocumentation } from "./replace-documentation.js";
import { restoreStateDocumentation } from "./restore-state-documentation.js";

const records = readModels(data);
const shelf = readModels(shelfData);

const settings: ResourceSettings & DocumentationSettings = {
  models: {},
  page: { default: 20, max: 100 },
  bulkItems: 1000,
  include: { depth: 3, rows: 100, total: 10_000 },
  query: defaultQueryLimits,
  parseDoubleUnderscore: true,
  exportRows: 100_000,
};

/** A model, and what its documents need. */
function prepare(name: string, configs: Readonly<Record<string, ResourceConfig>> = {}, models: Models = records) {
  const configured = { ...settings, models: configs };
  const resources = makeResources(models, resourcePaths(models), configured);
  const writables = makeWritableModels(resources, models, {
    ...{ models: configs, users: undefined, hashesPassword: false },
    isOffered: () => true,
    hasHooks: () => false,
  });
  const source = {
    ...{ resources, writables, settings: configured, isGuarded: false, made: new Map(), filters: new Map() },
  };
  return { resource: resources.get(name) as Resource, source };
}

// biome-ignore lint/suspicious/noExplicitAny: a document is read at any depth
type Loose = any;

/** The parameters of a document, one on each line. */
const parametersOf = ({ parameters = [] }: RouteDocumentation): string =>
  (parameters as readonly Loose[])
    .map(({ name, in: place, description = "", required = false, schema, ...others }) =>
      [
        `${place} ${name}${required === true ? " (required)" : ""}`,
        JSON.stringify(schema),
        others.style ?? "",
        description,
      ]
        .filter((part) => part !== "")
        .join(" | "),
    )
    .join("\n");

const errorsOf = ({ errors = [] }: RouteDocumentation): string[] =>
  errors.map(({ status, code }) => `${status} ${code}`);

/** Components of a document, one on each line. */
const componentsOf = ({ components = {} }: RouteDocumentation, ...names: readonly string[]): string =>
  names.map((name) => `${name}: ${JSON.stringify(components[name])}`).join("\n");

describe("C98 the document of an aggregate", () => {
  const aggregateOf = (name: string, config: ResourceConfig = {}) => {
    const { resource, source } = prepare(name, { [name]: { aggregate: true, ...config } });
    return aggregateDocumentation(resource, source);
  };

  it("has the values that rows are grouped by, the measures, and conditions on them", () => {
    const document = aggregateOf("Task", { softDelete: { field: "removedAt" } });
    expect(document.summary).toBe("Aggregate tasks");
    expect(parametersOf(document)).toMatchInlineSnapshot(`
      "query groupBy | {"type":"string"} | Up to 5 values that rows are grouped by, separated by commas, such as \`title\`. Without it, all rows are one group. A date is grouped by \`:day\`, \`:week\`, \`:month\`, \`:quarter\`, \`:year\`, such as \`removedAt:month\`. Fields of to-one relations have paths such as \`project.id\`.
      query count | {"type":"boolean"} | \`true\` returns the number of rows.
      query sum | {"type":"string"} | Fields to sum, separated by commas: id, companyId, projectId.
      query avg | {"type":"string"} | Fields of which the average is returned, separated by commas: id, companyId, projectId.
      query min | {"type":"string"} | Fields of which the minimum is returned, separated by commas: id, title, removedAt, companyId, projectId.
      query max | {"type":"string"} | Fields of which the maximum is returned, separated by commas: id, title, removedAt, companyId, projectId.
      query countDistinct | {"type":"string"} | Fields of which the number of different values is returned, separated by commas: id, title, removedAt, companyId, projectId.
      query sort | {"type":"string"} | Up to 5 values of \`groupBy\` and measures, such as \`-count\`. Prefix with \`-\` for descending order, and append \`:nullsFirst\` or \`:nullsLast\` for the place of null.
      query page | {"type":"integer","minimum":1} | Page number, starting at 1.
      query limit | {"type":"integer","minimum":1,"maximum":1000} | Page size. Default: 100.
      query timeZone | {"type":"string"} | The IANA name of the time zone of days and longer periods. Default: UTC.
      query search | {"type":"string"} | Words to search for in title, case-insensitive.
      query deleted | {"type":"string","enum":["only","include","exclude"]} | \`only\` returns deleted rows, \`include\` all. Requires the right to read them.
      query having[count] | {"$ref":"#/components/schemas/IntFilter"} | deepObject | Conditions on the number of rows of a group.
      query having[sum][id] | {"$ref":"#/components/schemas/MeasuredNullableBigIntFilter"} | deepObject | Conditions on \`sum\` of \`id\` in a group.
      query having[sum][companyId] | {"$ref":"#/components/schemas/MeasuredNullableBigIntFilter"} | deepObject | Conditions on \`sum\` of \`companyId\` in a group.
      query having[sum][projectId] | {"$ref":"#/components/schemas/MeasuredNullableBigIntFilter"} | deepObject | Conditions on \`sum\` of \`projectId\` in a group.
      query having[avg][id] | {"$ref":"#/components/schemas/MeasuredNullableDecimalFilter"} | deepObject | Conditions on \`avg\` of \`id\` in a group.
      query having[avg][companyId] | {"$ref":"#/components/schemas/MeasuredNullableDecimalFilter"} | deepObject | Conditions on \`avg\` of \`companyId\` in a group.
      query having[avg][projectId] | {"$ref":"#/components/schemas/MeasuredNullableDecimalFilter"} | deepObject | Conditions on \`avg\` of \`projectId\` in a group.
      query having[min][id] | {"$ref":"#/components/schemas/MeasuredNullableIntFilter"} | deepObject | Conditions on \`min\` of \`id\` in a group.
      query having[min][title] | {"$ref":"#/components/schemas/MeasuredNullableTextFilter"} | deepObject | Conditions on \`min\` of \`title\` in a group.
      query having[min][removedAt] | {"$ref":"#/components/schemas/MeasuredNullableDateTimeFilter"} | deepObject | Conditions on \`min\` of \`removedAt\` in a group.
      query having[min][companyId] | {"$ref":"#/components/schemas/MeasuredNullableIntFilter"} | deepObject | Conditions on \`min\` of \`companyId\` in a group.
      query having[min][projectId] | {"$ref":"#/components/schemas/MeasuredNullableIntFilter"} | deepObject | Conditions on \`min\` of \`projectId\` in a group.
      query having[max][id] | {"$ref":"#/components/schemas/MeasuredNullableIntFilter"} | deepObject | Conditions on \`max\` of \`id\` in a group.
      query having[max][title] | {"$ref":"#/components/schemas/MeasuredNullableTextFilter"} | deepObject | Conditions on \`max\` of \`title\` in a group.
      query having[max][removedAt] | {"$ref":"#/components/schemas/MeasuredNullableDateTimeFilter"} | deepObject | Conditions on \`max\` of \`removedAt\` in a group.
      query having[max][companyId] | {"$ref":"#/components/schemas/MeasuredNullableIntFilter"} | deepObject | Conditions on \`max\` of \`companyId\` in a group.
      query having[max][projectId] | {"$ref":"#/components/schemas/MeasuredNullableIntFilter"} | deepObject | Conditions on \`max\` of \`projectId\` in a group.
      query having[countDistinct][id] | {"$ref":"#/components/schemas/MeasuredIntFilter"} | deepObject | Conditions on \`countDistinct\` of \`id\` in a group.
      query having[countDistinct][title] | {"$ref":"#/components/schemas/MeasuredIntFilter"} | deepObject | Conditions on \`countDistinct\` of \`title\` in a group.
      query having[countDistinct][removedAt] | {"$ref":"#/components/schemas/MeasuredIntFilter"} | deepObject | Conditions on \`countDistinct\` of \`removedAt\` in a group.
      query having[countDistinct][companyId] | {"$ref":"#/components/schemas/MeasuredIntFilter"} | deepObject | Conditions on \`countDistinct\` of \`companyId\` in a group.
      query having[countDistinct][projectId] | {"$ref":"#/components/schemas/MeasuredIntFilter"} | deepObject | Conditions on \`countDistinct\` of \`projectId\` in a group.
      query id | {"$ref":"#/components/schemas/IntFilter"} | deepObject
      query title | {"$ref":"#/components/schemas/TextFilter"} | deepObject
      query removedAt | {"$ref":"#/components/schemas/NullableDateTimeFilter"} | deepObject
      query companyId | {"$ref":"#/components/schemas/NullableIntFilter"} | deepObject
      query projectId | {"$ref":"#/components/schemas/IntFilter"} | deepObject
      header If-None-Match | {"type":"string"} | The \`ETag\` of a cached response: 304 if it is still current."
    `);
    expect(componentsOf(document, "TaskAggregate", "TaskAggregatePage", "AggregateMeta")).toMatchInlineSnapshot(`
      "TaskAggregate: {"type":"object","properties":{"group":{"type":"object","description":"The values of \`groupBy\`. That of a related row that does not exist, or that you may not read, is null.","properties":{"id":{"type":"integer","format":"int32"},"title":{"type":"string"},"removedAt":{"type":["string","null"],"format":"date-time"},"companyId":{"type":["integer","null"],"format":"int32"},"projectId":{"type":"integer","format":"int32"},"removedAt:day":{"type":["string","null"],"format":"date"},"removedAt:week":{"type":["string","null"],"format":"date"},"removedAt:month":{"type":["string","null"],"format":"date"},"removedAt:quarter":{"type":["string","null"],"format":"date"},"removedAt:year":{"type":["string","null"],"format":"date"},"project.id":{"type":["integer","null"],"format":"int32"},"project.title":{"type":["string","null"]},"project.rank":{"type":["integer","null"],"format":"int32"},"project.budget":{"type":["string","null"],"pattern":"^-?\\\\d{1,8}(\\\\.\\\\d{1,2})?$"},"project.score":{"type":["integer","null"],"format":"int32"},"project.updatedAt":{"type":["string","null"],"format":"date-time"},"project.deletedAt":{"type":["string","null"],"format":"date-time"},"project.companyId":{"type":["integer","null"],"format":"int32"}},"additionalProperties":true},"count":{"type":"integer","minimum":0,"description":"The number of rows, with \`count=true\`."},"sum":{"type":"object","properties":{"id":{"type":["string","null"],"pattern":"^-?\\\\d+$"},"companyId":{"type":["string","null"],"pattern":"^-?\\\\d+$"},"projectId":{"type":["string","null"],"pattern":"^-?\\\\d+$"}},"additionalProperties":false},"avg":{"type":"object","properties":{"id":{"type":["string","null"],"pattern":"^-?\\\\d{1,35}(\\\\.\\\\d{1,30})?$"},"companyId":{"type":["string","null"],"pattern":"^-?\\\\d{1,35}(\\\\.\\\\d{1,30})?$"},"projectId":{"type":["string","null"],"pattern":"^-?\\\\d{1,35}(\\\\.\\\\d{1,30})?$"}},"additionalProperties":false},"min":{"type":"object","properties":{"id":{"type":["integer","null"],"format":"int32"},"title":{"type":["string","null"]},"removedAt":{"type":["string","null"],"format":"date-time"},"companyId":{"type":["integer","null"],"format":"int32"},"projectId":{"type":["integer","null"],"format":"int32"}},"additionalProperties":false},"max":{"type":"object","properties":{"id":{"type":["integer","null"],"format":"int32"},"title":{"type":["string","null"]},"removedAt":{"type":["string","null"],"format":"date-time"},"companyId":{"type":["integer","null"],"format":"int32"},"projectId":{"type":["integer","null"],"format":"int32"}},"additionalProperties":false},"countDistinct":{"type":"object","properties":{"id":{"type":"integer","format":"int32"},"title":{"type":"integer","format":"int32"},"removedAt":{"type":"integer","format":"int32"},"companyId":{"type":"integer","format":"int32"},"projectId":{"type":"integer","format":"int32"}},"additionalProperties":false}},"additionalProperties":false,"examples":[{"group":{"title":"Example task"},"count":3,"sum":{"companyId":"1"}}]}
      TaskAggregatePage: {"type":"object","properties":{"data":{"type":"array","items":{"$ref":"#/components/schemas/TaskAggregate"}},"meta":{"$ref":"#/components/schemas/AggregateMeta"}},"required":["data","meta"],"additionalProperties":false}
      AggregateMeta: {"type":"object","properties":{"count":{"type":"integer","minimum":0,"description":"The number of groups on this page."},"limit":{"type":"integer","minimum":1},"page":{"type":"integer","minimum":1},"hasMore":{"type":"boolean","description":"Whether there is a next page."}},"required":["count","limit","page","hasMore"],"additionalProperties":false}"
    `);
  });

  it("of a model without numbers and dates has fewer", () => {
    const document = aggregateOf("Country");
    expect(parametersOf(document)).toMatchInlineSnapshot(`
      "query groupBy | {"type":"string"} | Up to 5 values that rows are grouped by, separated by commas, such as \`name\`. Without it, all rows are one group.
      query count | {"type":"boolean"} | \`true\` returns the number of rows.
      query min | {"type":"string"} | Fields of which the minimum is returned, separated by commas: code, name.
      query max | {"type":"string"} | Fields of which the maximum is returned, separated by commas: code, name.
      query countDistinct | {"type":"string"} | Fields of which the number of different values is returned, separated by commas: code, name.
      query sort | {"type":"string"} | Up to 5 values of \`groupBy\` and measures, such as \`-count\`. Prefix with \`-\` for descending order, and append \`:nullsFirst\` or \`:nullsLast\` for the place of null.
      query page | {"type":"integer","minimum":1} | Page number, starting at 1.
      query limit | {"type":"integer","minimum":1,"maximum":1000} | Page size. Default: 100.
      query search | {"type":"string"} | Words to search for in name, case-insensitive.
      query having[count] | {"$ref":"#/components/schemas/IntFilter"} | deepObject | Conditions on the number of rows of a group.
      query having[min][code] | {"$ref":"#/components/schemas/MeasuredNullableTextFilter"} | deepObject | Conditions on \`min\` of \`code\` in a group.
      query having[min][name] | {"$ref":"#/components/schemas/MeasuredNullableTextFilter"} | deepObject | Conditions on \`min\` of \`name\` in a group.
      query having[max][code] | {"$ref":"#/components/schemas/MeasuredNullableTextFilter"} | deepObject | Conditions on \`max\` of \`code\` in a group.
      query having[max][name] | {"$ref":"#/components/schemas/MeasuredNullableTextFilter"} | deepObject | Conditions on \`max\` of \`name\` in a group.
      query having[countDistinct][code] | {"$ref":"#/components/schemas/MeasuredIntFilter"} | deepObject | Conditions on \`countDistinct\` of \`code\` in a group.
      query having[countDistinct][name] | {"$ref":"#/components/schemas/MeasuredIntFilter"} | deepObject | Conditions on \`countDistinct\` of \`name\` in a group.
      query code | {"$ref":"#/components/schemas/TextFilter"} | deepObject
      query name | {"$ref":"#/components/schemas/TextFilter"} | deepObject
      header If-None-Match | {"type":"string"} | The \`ETag\` of a cached response: 304 if it is still current."
    `);
    expect(componentsOf(document, "CountryAggregate")).toMatchInlineSnapshot(
      `"CountryAggregate: {"type":"object","properties":{"group":{"type":"object","description":"The values of \`groupBy\`. That of a related row that does not exist, or that you may not read, is null.","properties":{"code":{"type":"string"},"name":{"type":"string"}},"additionalProperties":false},"count":{"type":"integer","minimum":0,"description":"The number of rows, with \`count=true\`."},"min":{"type":"object","properties":{"code":{"type":["string","null"]},"name":{"type":["string","null"]}},"additionalProperties":false},"max":{"type":"object","properties":{"code":{"type":["string","null"]},"name":{"type":["string","null"]}},"additionalProperties":false},"countDistinct":{"type":"object","properties":{"code":{"type":"integer","format":"int32"},"name":{"type":"integer","format":"int32"}},"additionalProperties":false}},"additionalProperties":false,"examples":[{"group":{"name":"Example country"},"count":3}]}"`,
    );
  });

  it("allows groups of more distant rows where there are any", () => {
    const groupOf = (name: string): Loose => aggregateOf(name).components?.[`${name}Aggregate`];
    expect(groupOf("Step").properties.group.additionalProperties).toBe(true);
    expect(groupOf("Project").properties.group.additionalProperties).toBe(false);
  });
});

describe("C99 the document of a replacement", () => {
  const replaceOf = (name: string) => {
    const { resource, source } = prepare(name, { [name]: { upsert: true } });
    return replaceDocumentation(resource, source);
  };

  it("creates rows whose key bodies set", () => {
    const document = replaceOf("Page");
    expect([document.summary, document.description]).toEqual([
      "Create or replace a page",
      "Sets all fields of the page: those that are missing get their default, or null. A row that does not exist is created with this id.",
    ]);
    expect(Object.keys(document.responses ?? {})).toEqual(["200", "201"]);
    expect(errorsOf(document)).toMatchInlineSnapshot(`
      [
        "400 ValidationError",
        "400 MalformedQuery",
        "400 ForbiddenKey",
        "400 QueryLimitExceeded",
        "400 EmptyGroup",
        "400 ConflictingFilters",
        "400 InvalidOperand",
        "400 ValidationError",
        "400 RelatedRecordNotFound",
        "400 InvalidValue",
        "400 RequiredValue",
        "400 ValueTooLong",
        "400 ValueOutOfRange",
        "400 RejectedByDatabase",
        "409 UniqueConstraint",
        "409 CheckConstraint",
        "409 ExclusionConstraint",
        "409 RelationConstraint",
        "409 RecordsNotConnected",
        "409 WriteConflict",
        "404 NotFound",
        "412 PreconditionFailed",
        "503 DatabaseUnavailable",
        "504 DatabaseTimeout",
      ]
    `);
    expect(parametersOf(document)).toMatchInlineSnapshot(`
      "path id (required) | {"type":"string"} | The values of year, code, separated by commas.
      header If-Match | {"type":"string"} | The \`ETag\` of the row as it was read: 412 if it has changed since.
      header If-None-Match | {"type":"string"} | \`*\` only creates: 412 if the row exists."
    `);
    expect(JSON.stringify(document.requestBody)).toMatchInlineSnapshot(
      `"{"required":true,"content":{"application/json":{"schema":{"type":"object","properties":{"year":{"type":"integer","format":"int32","minimum":-2147483648,"maximum":2147483647},"code":{"type":"string"},"text":{"type":"string"},"draft":{"type":["string","null"]}},"required":["text"],"additionalProperties":false}}}}"`,
    );
  });

  it("only changes rows whose key the database sets", () => {
    const document = replaceOf("Project");
    expect([document.summary, document.description]).toEqual([
      "Replace a project",
      "Sets all fields of the project: those that are missing get their default, or null. The database sets the id of new rows, so a row that does not exist is 404.",
    ]);
    expect(Object.keys(document.responses ?? {})).toEqual(["200"]);
    expect(parametersOf(document)).not.toContain("If-None-Match");
    expect(errorsOf(document)).toEqual(errorsOf(replaceOf("Page")));
    expect(JSON.stringify(document.requestBody)).toMatchInlineSnapshot(
      `"{"required":true,"content":{"application/json":{"schema":{"type":"object","properties":{"id":{"type":"integer","format":"int32","minimum":-2147483648,"maximum":2147483647},"title":{"type":"string"},"rank":{"type":["integer","null"],"format":"int32","minimum":-2147483648,"maximum":2147483647},"budget":{"anyOf":[{"$ref":"#/components/schemas/Decimal8Point2Value"},{"type":"null"}]},"deletedAt":{"type":["string","null"],"format":"date-time"},"companyId":{"type":["integer","null"],"format":"int32","minimum":-2147483648,"maximum":2147483647}},"required":["title"],"additionalProperties":false}}}}"`,
    );
  });
});

describe("C107 C108 C111 the documents of recorded changes", () => {
  it("have the states of rows and their changes", () => {
    const { resource } = prepare("Project");
    const document = historyDocumentation(resource);
    expect(document.summary).toBe("List the changes of a project");
    expect(parametersOf(document)).toMatchInlineSnapshot(`
      "path id (required) | {"type":"string"} | The id.
      query page | {"type":"integer","minimum":1} | Page number, starting at 1.
      query limit | {"type":"integer","minimum":1,"maximum":100} | Page size. Default: 20.
      header If-None-Match | {"type":"string"} | The \`ETag\` of a cached response: 304 if it is still current."
    `);
    expect(
      componentsOf(document, "ProjectState", "ProjectHistoryEntry", "ProjectHistoryPage", "HistoryMeta"),
    ).toMatchInlineSnapshot(`
      "ProjectState: {"type":"object","description":"A row before or after a change, with the fields that were recorded.","properties":{"id":{"type":"integer","format":"int32"},"title":{"type":"string"},"rank":{"type":["integer","null"],"format":"int32"},"budget":{"type":["string","null"],"pattern":"^-?\\\\d{1,8}(\\\\.\\\\d{1,2})?$"},"score":{"type":"integer","format":"int32"},"updatedAt":{"type":"string","format":"date-time"},"deletedAt":{"type":["string","null"],"format":"date-time"},"companyId":{"type":["integer","null"],"format":"int32"}},"additionalProperties":false}
      ProjectHistoryEntry: {"type":"object","properties":{"id":{"type":"string","pattern":"^\\\\d+$","description":"Larger for later changes."},"time":{"type":"string","format":"date-time"},"operation":{"type":"string","enum":["create","update","delete"]},"actor":{"type":"string","description":"Who made the change, such as \`user:7\`."},"requestId":{"type":["string","null"]},"changed":{"type":"array","items":{"type":"string"},"description":"The fields that differ; empty without \`before\` or \`after\`."},"before":{"anyOf":[{"$ref":"#/components/schemas/ProjectState"},{"type":"null"}]},"after":{"anyOf":[{"$ref":"#/components/schemas/ProjectState"},{"type":"null"}]}},"required":["id","time","operation","actor","requestId","changed","before","after"],"additionalProperties":false,"examples":[{"id":"42","time":"2026-01-31T08:30:00.000Z","operation":"create","actor":"user:7","requestId":null,"changed":[],"before":null,"after":{"id":1,"title":"Example project","rank":1,"budget":"19.95","score":0,"updatedAt":"2026-01-31T08:30:00.000Z","deletedAt":"2026-01-31T08:30:00.000Z","companyId":1}}]}
      ProjectHistoryPage: {"type":"object","properties":{"data":{"type":"array","items":{"$ref":"#/components/schemas/ProjectHistoryEntry"}},"meta":{"$ref":"#/components/schemas/HistoryMeta"}},"required":["data","meta"],"additionalProperties":false}
      HistoryMeta: {"type":"object","properties":{"count":{"type":"integer","minimum":0,"description":"The number of changes on this page."},"limit":{"type":"integer","minimum":1},"page":{"type":"integer","minimum":1},"hasMore":{"type":"boolean","description":"Whether there is a next page."}},"required":["count","limit","page","hasMore"],"additionalProperties":false}"
    `);
    expect(componentsOf(historyDocumentation(prepare("Country").resource), "CountryHistoryEntry")).toContain(
      '"after":{"code":',
    );
  });

  it("have the result of a restore", () => {
    const { resource, source } = prepare("Page");
    const document = restoreStateDocumentation(resource, source);
    expect(parametersOf(document)).toMatchInlineSnapshot(`
      "path id (required) | {"type":"string"} | The values of year, code, separated by commas.
      header If-Match | {"type":"string"} | The \`ETag\` of the row as it was read: 412 if it has changed since.
      path changeId (required) | {"type":"string","pattern":"^\\\\d+$"} | The id of a change in the history of the row."
    `);
    expect(JSON.stringify(document.responses)).toMatchInlineSnapshot(
      `"{"200":{"description":"The row with its restored state.","headers":{"ETag":{"description":"The version of this response, for \`If-None-Match\` and \`If-Match\` (RFC 9110).","schema":{"type":"string"},"required":true}},"content":{"application/json":{"schema":{"$ref":"#/components/schemas/PageRestoredState"}}}},"201":{"description":"The row was deleted, and is created again.","headers":{"Location":{"description":"The path of the row.","schema":{"type":"string"}}},"content":{"application/json":{"schema":{"$ref":"#/components/schemas/PageRestoredState"}}}}}"`,
    );
    expect(errorsOf(document)).toMatchInlineSnapshot(`
      [
        "400 ValidationError",
        "400 MalformedQuery",
        "400 ForbiddenKey",
        "400 QueryLimitExceeded",
        "400 EmptyGroup",
        "400 ConflictingFilters",
        "400 InvalidOperand",
        "400 ValidationError",
        "400 InvalidValue",
        "400 RequiredValue",
        "400 ValueTooLong",
        "400 ValueOutOfRange",
        "400 RejectedByDatabase",
        "409 UniqueConstraint",
        "409 CheckConstraint",
        "409 ExclusionConstraint",
        "409 RelationConstraint",
        "409 RecordsNotConnected",
        "409 WriteConflict",
        "404 NotFound",
        "412 PreconditionFailed",
        "503 DatabaseUnavailable",
        "504 DatabaseTimeout",
        "409 ForeignKeyConstraint",
        "409 RowDeleted",
      ]
    `);
  });

  it("have the events of a list", () => {
    const { resource } = prepare("Page");
    const document = eventsDocumentation(resource, { filters: new Map() });
    expect(document.summary).toBe("Follow the changes of the list of page rows");
    expect(parametersOf(document)).toMatchInlineSnapshot(`
      "query fields | {"type":"string"} | The fields of the rows, separated by commas, or the fields to exclude, each prefixed with \`-\`.
      query lastEventId | {"type":"string"} | The same as \`Last-Event-ID\`, for clients that cannot set headers. The header takes precedence.
      header Last-Event-ID | {"type":"string","pattern":"^[\\\\w-]{1,500}$"} | The last id that the client has received.
      query year | {"$ref":"#/components/schemas/IntFilter"} | deepObject
      query code | {"$ref":"#/components/schemas/TextFilter"} | deepObject
      query text | {"$ref":"#/components/schemas/TextFilter"} | deepObject
      query draft | {"$ref":"#/components/schemas/NullableTextFilter"} | deepObject"
    `);
    expect(componentsOf(document, "PageState", "PageRemoved")).toMatchInlineSnapshot(`
      "PageState: {"type":"object","description":"A row before or after a change, with the fields that were recorded.","properties":{"year":{"type":"integer","format":"int32"},"code":{"type":"string"},"text":{"type":"string"},"draft":{"type":["string","null"]}},"additionalProperties":false}
      PageRemoved: {"type":"object","description":"The key of a row that is no longer in the list.","properties":{"year":{"type":"integer","format":"int32"},"code":{"type":"string"}},"required":["year","code"],"additionalProperties":false}"
    `);
  });
});

describe("C101 the documents of a model with soft delete", () => {
  const parametersFor = (operation: Operation, softDelete: boolean): readonly string[] => {
    const { resource, source } = prepare("Project", { Project: { softDelete } });
    return parametersOf(operationDocumentation(operation, resource, source))
      .split("\n")
      .filter((line) => /^query (deleted|permanent)\b/.test(line));
  };

  it("have its parameters", () => {
    const operations = ["findMany", "findOne", "deleteOne", "deleteMany", "updateOne", "createOne"] as const;
    expect(operations.flatMap((operation) => parametersFor(operation, false))).toEqual([]);
    expect(operations.map((operation) => [operation, ...parametersFor(operation, true)])).toMatchInlineSnapshot(`
      [
        [
          "findMany",
          "query deleted | {"type":"string","enum":["only","include","exclude"]} | \`only\` returns deleted rows, \`include\` all. Requires the right to read them.",
        ],
        [
          "findOne",
          "query deleted | {"type":"string","enum":["only","include","exclude"]} | \`only\` returns deleted rows, \`include\` all. Requires the right to read them.",
        ],
        [
          "deleteOne",
          "query permanent | {"type":"boolean"} | \`true\` deletes the row permanently, also a deleted one. Requires the right to it.",
        ],
        [
          "deleteMany",
          "query permanent | {"type":"boolean"} | \`true\` deletes the row permanently, also a deleted one. Requires the right to it.",
          "query deleted | {"type":"string","enum":["only","include","exclude"]} | Which rows the filters select, with \`permanent=true\`: \`only\` deleted ones, or \`include\` them. Requires the right to read them.",
        ],
        [
          "updateOne",
        ],
        [
          "createOne",
        ],
      ]
    `);
  });

  it("have the restore of a row", () => {
    const { resource, source } = prepare("Project", { Project: { softDelete: true } });
    const document = operationDocumentation("restoreOne", resource, source);
    expect(document.summary).toBe("Restore a project");
    expect(Object.keys(document.responses ?? {})).toEqual(["200"]);
    expect(document.requestBody).toBeUndefined();
    expect(errorsOf(document)).toMatchInlineSnapshot(`
      [
        "400 ValidationError",
        "400 MalformedQuery",
        "400 ForbiddenKey",
        "400 QueryLimitExceeded",
        "400 EmptyGroup",
        "400 ConflictingFilters",
        "400 InvalidOperand",
        "409 NotDeleted",
        "409 UniqueConstraint",
        "409 ForeignKeyConstraint",
        "409 WriteConflict",
        "404 NotFound",
        "412 PreconditionFailed",
        "503 DatabaseUnavailable",
        "504 DatabaseTimeout",
      ]
    `);
  });
});

describe("C65 the components of models", () => {
  const componentsFor = (name: string, operations: readonly Operation[]): string => {
    const { resource, source } = prepare(name, {}, shelf);
    const components = operations.flatMap((operation) =>
      Object.entries(operationDocumentation(operation, resource, source).components ?? {}),
    );
    return [...new Map(components)]
      .map(([key, schema]) => `${key}: ${JSON.stringify(schema)}`)
      .sort()
      .join("\n");
  };
  const fileOf = (name: string): string => new URL(`../../test/documents/${name}.txt`, import.meta.url).pathname;

  // Each file has one schema on each line. Review the difference after `-u`.
  it.each<[string, string, readonly Operation[]]>([
    ["columns", "Value", ["findMany", "createOne"]],
    ["relations", "Book", ["findOne", "createOne", "updateOne"]],
    ["keys", "PairKey", ["findOne", "createOne", "updateMany", "createMany"]],
  ])("describe every kind of %s", async (file, name, operations) => {
    await expect(componentsFor(name, operations)).toMatchFileSnapshot(fileOf(file));
  });
});
