import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import * as generator from "../src/generator/index.js";
import * as runGenerators from "../src/generator/run-generators.js";
import * as main from "../src/index.js";
import * as internal from "../src/internal.js";
import * as mysql from "../src/mysql/index.js";
import * as postgres from "../src/postgres/index.js";
import * as sqlite from "../src/sqlite/index.js";

it("exports exactly these values from @servicekit/prisma", () => {
  expect(Object.keys(main).sort()).toMatchInlineSnapshot(`
    [
      "fieldCondition",
      "makeDatabase",
      "operatorsOf",
      "readModels",
    ]
  `);
});

it("exports exactly these values from @servicekit/prisma/internal", () => {
  expect(Object.keys(internal).sort()).toMatchInlineSnapshot(`
    [
      "PreciseDate",
      "SqlColumn",
      "SqlExpression",
      "aggregateFunctions",
      "allOf",
      "anyOf",
      "brokenRule",
      "capabilitiesOf",
      "caseInsensitiveColumns",
      "chooseEngine",
      "condition",
      "constantDefault",
      "databaseError",
      "dateOfText",
      "dateParts",
      "dbNull",
      "deleteExpired",
      "deleteInBatches",
      "dependentsOf",
      "everyRow",
      "exactDigits",
      "exactJsonText",
      "exactOperators",
      "expectedFieldIssues",
      "fieldRule",
      "findComputedIssues",
      "findWritableUrl",
      "foundRows",
      "groupField",
      "hasDate",
      "hasExtensions",
      "hasPeriods",
      "inexactFields",
      "isBodyField",
      "isCascade",
      "isDecimal",
      "isEveryRow",
      "isHidden",
      "isLongerThan",
      "isOmitted",
      "isOptionalInCreate",
      "isPathText",
      "isPlainText",
      "isRestrict",
      "isScalarOf",
      "isSecretFieldName",
      "isShortNumber",
      "isSinglePrecision",
      "isSortable",
      "isStored",
      "json",
      "jsonNull",
      "lockAll",
      "logsQueries",
      "looseOperators",
      "makeGapFinder",
      "makeHeadlineMarks",
      "makeStateMatcher",
      "maxListItems",
      "mayBeNull",
      "measureOperators",
      "measuresOf",
      "missingFieldIssues",
      "noPathText",
      "noRow",
      "notOf",
      "optionalTextOf",
      "originalExcerpt",
      "ormErrors",
      "parseJson",
      "pathTextRule",
      "periodField",
      "plainTextRule",
      "prismaEngines",
      "prismaExecutor",
      "providerIssue",
      "providerName",
      "queryRaw",
      "quoteName",
      "quoteTable",
      "quoteText",
      "readConfiguredFilter",
      "readConnectionString",
      "readDatabase",
      "readProvider",
      "readRowFilter",
      "readWhere",
      "reasonForPrisma",
      "recordedFields",
      "referenced",
      "referencing",
      "related",
      "resourcePath",
      "responseTooLarge",
      "resultFields",
      "rowsWhere",
      "searchFields",
      "searchStorage",
      "shortestSingle",
      "sizeOf",
      "sqlExecutor",
      "sqlTemplate",
      "storedFields",
      "textOf",
      "toJsonField",
      "toJsonValue",
      "toWhere",
      "vectorLines",
      "withExactNumbers",
      "withReplicas",
      "withoutEnd",
      "writeKey",
      "writtenTooLarge",
      "yearsText",
    ]
  `);
});

it("exports exactly these values from @servicekit/prisma/generator", () => {
  expect(Object.keys(generator).sort()).toMatchInlineSnapshot(`
    [
      "toModelsData",
      "writeApiModule",
      "writeDtosModule",
      "writeModelsModule",
      "writeSchemasModule",
    ]
  `);
});

it("exports exactly these values from @servicekit/prisma/run-generators", () => {
  expect(Object.keys(runGenerators).sort()).toMatchInlineSnapshot(`
    [
      "PrismaCliRequiredError",
      "SchemaError",
      "clientGenerator",
      "runGenerators",
    ]
  `);
});

it("exports exactly these values from @servicekit/prisma/mysql", () => {
  expect(Object.keys(mysql)).toEqual(["makeMysqlAdapter"]);
});

it("exports exactly these values from @servicekit/prisma/sqlite", () => {
  expect(Object.keys(sqlite)).toEqual(["makeSqliteAdapter"]);
});

it("exports exactly these values from @servicekit/prisma/postgres", () => {
  expect(Object.keys(postgres).sort()).toMatchInlineSnapshot(`
    [
      "makePostgresAdapter",
      "makePostgresPool",
    ]
  `);
});

it("imports in its main entry only Node, the core package and pluralize", () => {
  const source = path.join(import.meta.dirname, "..", "src");
  const files = readdirSync(source, { recursive: true, encoding: "utf8" }).filter(
    (file) => /(?<!\.test)\.ts$/.test(file) && !/^(generator|mysql|postgres|sql)/.test(file),
  );
  expect(files.length).toBeGreaterThan(20);
  for (const file of files) {
    const text = readFileSync(path.join(source, file), "utf8");
    for (const [, specifier] of text.matchAll(/^(?:import|export)\b[^;]*?\bfrom "([^"]+)";$/gms)) {
      expect(specifier, file).toMatch(/^(\.|node:|pluralize$|@servicekit\/core(\/internal)?$)/);
    }
  }
});
