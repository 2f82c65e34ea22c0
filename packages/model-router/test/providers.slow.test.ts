import { describe } from "vitest";
import { providers } from "../../../scripts/test/provider-database.js";
import { slowShare } from "../../../scripts/test/slow-share.js";
import { compareWithPostgres } from "./compare-providers.js";

describe("C113 sqlite and PostgreSQL", () => compareWithPostgres("sqlite", slowShare));

describe.skipIf(!providers.includes("mysql"))("C119 mysql and PostgreSQL", () =>
  compareWithPostgres("mysql", slowShare),
);
