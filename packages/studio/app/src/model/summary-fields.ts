import type { SummaryRow } from "../api/shop.js";
import type { FieldInfo, FieldKind, ModelInfo } from "./model-info.js";
import { type MeasureFunction, measureWords, type SummarySearch, splitGroup, splitMeasure } from "./summary-search.js";

/** The periods that dates are grouped by. */
export const periods = ["day", "week", "month", "quarter", "year"] as const;

const numbers: ReadonlySet<FieldKind> = new Set(["integer", "bigint", "float", "decimal"]);
const unordered: ReadonlySet<FieldKind> = new Set(["json", "relation"]);
const unranked: ReadonlySet<FieldKind> = new Set([...unordered, "boolean", "bytes"]);

/** The fields that rows can be grouped by. */
export const groupFields = ({ fields }: ModelInfo): readonly FieldInfo[] =>
  fields.filter(({ kind, list }) => !list && !unordered.has(kind));

/** The fields that a function can measure. */
export function measureFields(model: ModelInfo, word: MeasureFunction): readonly FieldInfo[] {
  const fields = groupFields(model);
  if (word === "countDistinct") return fields;
  const isSum = word === "sum" || word === "avg";
  return fields.filter(({ kind }) => (isSum ? numbers.has(kind) : !unranked.has(kind)));
}

/** A to-one relation, and the model with its fields. */
export interface GroupRelation {
  readonly relation: FieldInfo;
  readonly target: ModelInfo;
}

/** The relations whose fields rows can be grouped by. */
export const groupRelations = (model: ModelInfo, models: readonly ModelInfo[]): readonly GroupRelation[] =>
  model.fields.flatMap((relation) => {
    const target = relation.list ? undefined : models.find(({ name }) => name === relation.relation);
    return target === undefined ? [] : [{ relation, target }];
  });

/** The field of a path such as `customer.name`. */
export function groupField(model: ModelInfo, models: readonly ModelInfo[], path: string): FieldInfo | undefined {
  const [first = "", ...rest] = path.split(".");
  if (rest.length === 0) return groupFields(model).find(({ name }) => name === first);
  const found = groupRelations(model, models).find(({ relation }) => relation.name === first);
  return found && groupFields(found.target).find(({ name }) => name === rest.join("."));
}

/** A column of a summary. */
export interface SummaryColumn {
  /** As in the sort order. */
  readonly name: string;
  readonly title: string;
  readonly kind: FieldKind;
  readonly period: string | undefined;
  /** Whether its values are numbers of a measure, which are shown with bars. */
  readonly hasBars: boolean;
  readonly valueIn: (row: SummaryRow) => unknown;
}

/** The columns of a summary: groups, then measures. */
export function summaryColumns(
  model: ModelInfo,
  models: readonly ModelInfo[],
  { groupBy = [], measures = ["count"] }: SummarySearch,
): readonly SummaryColumn[] {
  return [
    ...groupBy.map((name) => groupColumn(model, models, name)),
    ...measures.map((name) => measureColumn(model, name)),
  ];
}

function groupColumn(model: ModelInfo, models: readonly ModelInfo[], name: string): SummaryColumn {
  const [path, period] = splitGroup(name);
  const field = groupField(model, models, path);
  const relation = path.includes(".") ? model.field(path.slice(0, path.indexOf(".")))?.title : undefined;
  const of = field === undefined ? path : relation === undefined ? field.title : `${relation}: ${lower(field.title)}`;
  return {
    name,
    title: period === undefined ? of : `${of} (${period})`,
    kind: period === undefined ? (field?.kind ?? "text") : "text",
    period,
    hasBars: false,
    valueIn: ({ group }) => group?.[name],
  };
}

function measureColumn(model: ModelInfo, name: string): SummaryColumn {
  const [word, path] = splitMeasure(name) ?? [];
  if (word === undefined || path === undefined)
    return {
      ...{ name, title: "Count", kind: "integer", period: undefined, hasBars: true },
      valueIn: ({ count }) => count,
    };
  const field = model.field(path);
  const keepsKind = word === "min" || word === "max";
  const kind = keepsKind ? (field?.kind ?? "text") : word === "countDistinct" ? "integer" : "decimal";
  return {
    ...{ name, title: `${measureWords[word]} ${lower(field?.title ?? path)}`, kind, period: undefined },
    hasBars: numbers.has(kind),
    valueIn: (row) => row[word]?.[path],
  };
}

const lower = (title: string): string => title.charAt(0).toLowerCase() + title.slice(1);

/** The first day of a period as the name of the period, such as `2025-03` or `2025 Q1`. */
export function formatPeriod(day: string, period: string): string {
  const [, year, month] = /^(\d{4,})-(\d\d)-\d\d$/.exec(day) ?? [];
  if (year === undefined) return day;
  if (period === "year") return year;
  if (period === "quarter") return `${year} Q${Math.ceil(Number(month) / 3)}`;
  return period === "month" ? `${year}-${month}` : day;
}

/** An exact decimal without the digits of a long fraction: `1.3333…`. */
export const cutFraction = (text: string): string => text.replace(/(\.\d{4})\d{3,}$/, "$1…");

/** The length of the bar of each value, in percent of the largest one. */
export function barLengths(values: readonly unknown[]): readonly number[] {
  const sizes = values.map((value) => Math.abs(Number(value ?? 0))).map((size) => (Number.isFinite(size) ? size : 0));
  const max = Math.max(0, ...sizes);
  return sizes.map((size) => (max === 0 ? 0 : Math.round((size / max) * 100)));
}
