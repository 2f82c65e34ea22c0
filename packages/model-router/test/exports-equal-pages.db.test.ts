import { describe } from "vitest";
import { compareExports } from "./compare-exports.js";

describe("C104 exports and pages", () => compareExports({ first: 1, runs: 12 }));
