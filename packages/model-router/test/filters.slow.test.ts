import { describe } from "vitest";
import { describeFilters, isSample } from "./filter-cases.js";

describe("C18 its other columns", () => describeFilters((...column) => !isSample(...column)));
