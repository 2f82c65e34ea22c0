import { describeFilters, isSample } from "./filter-cases.js";

describeFilters((column) => !isSample(column));
