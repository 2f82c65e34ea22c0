import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import * as generator from "../src/generator/index.js";
import * as orm from "../src/index.js";
import * as postgres from "../src/postgres/index.js";

it("the public names", () => {
  expect(Object.keys(orm).sort()).toEqual([
    "ExactJson",
    "ExactNumber",
    "PreciseDate",
    "ResultTooLarge",
    "brokenRule",
    "compactJson",
    "computedFields",
    "databaseError",
    "dateOfMoment",
    "dbNull",
    "exactDigits",
    "fieldCondition",
    "fieldRule",
    "hasExtensions",
    "holdsExactNumber",
    "isBodyField",
    "isEndless",
    "isHidden",
    "isInexact",
    "isLongerThan",
    "isOmitted",
    "isOptionalInCreate",
    "isPathText",
    "isPlainText",
    "isShortNumber",
    "isSortable",
    "json",
    "jsonNull",
    "makeDatabase",
    "mayBeNull",
    "momentText",
    "momentTextOfSql",
    "mostListItems",
    "noPathText",
    "operatorsOf",
    "ormErrors",
    "parseJson",
    "pathTextRule",
    "plainTextRule",
    "prismaReads",
    "prismaWrites",
    "providerFault",
    "quoteName",
    "quoteTable",
    "readModels",
    "resourceName",
    "resourcePath",
    "responseTooLarge",
    "rowsWhere",
    "saysMore",
    "sizeOf",
    "sqlOfMoment",
    "timeText",
    "toHttpError",
    "whyAllByPrisma",
    "whyWritesByPrisma",
    "withExactNumbers",
    "withoutEnd",
    "writtenTooLarge",
  ]);
  expect(Object.keys(generator).sort()).toEqual([
    "toModelsData",
    "writeApiModule",
    "writeDtosModule",
    "writeModelsModule",
    "writeSchemasModule",
  ]);
  expect(Object.keys(postgres).sort()).toEqual(["makePostgresAdapter"]);
});

it("the main entry imports nothing but node, the two packages below it, and the plurals of paths", () => {
  const source = fileURLToPath(new URL("../src", import.meta.url));
  const files = readdirSync(source, { recursive: true, encoding: "utf8" }).filter(
    (file) => /(?<!\.test)\.ts$/.test(file) && !/^(generator|postgres)/.test(file),
  );
  expect(files.length).toBeGreaterThan(20);
  for (const file of files) {
    const text = readFileSync(path.join(source, file), "utf8");
    for (const [, specifier] of text.matchAll(/^(?:import|export)\b[^;]*?\bfrom "([^"]+)";$/gms)) {
      expect(specifier, file).toMatch(/^(\.|node:|pluralize$|@servicekit\/(errors|field-path)$)/);
    }
  }
});
