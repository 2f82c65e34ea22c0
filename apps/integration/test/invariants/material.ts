import { resourcePath } from "@servicekit/model-router/internal";
import type { Model, Models, StoredField } from "@servicekit/prisma";
import type { Draw } from "../../../../scripts/test/random-draw.js";
import type { CallerName } from "./callers.js";
import type { DrawnRequest, Setup, Values } from "./cases.js";
import { featureValue } from "./features.js";
import { drawnModels } from "./fixtures.js";
import { drawReference, isRequiredIn, keyFields, keyOf, keyText, storedFields } from "./rows.js";
import { filteredDates, hasTimes, makeValues } from "./values.js";

/** From what requests are drawn: the models, the features and the rows of a case. */
export interface Material {
  readonly setup: Setup;
  readonly models: Models;
  readonly draw: Draw;
  has(feature: string, model: Model): boolean;
  /** A key of a row, or of none. */
  key(model: Model): Values;
  /** A value of a field, often one that a row has. */
  value(model: Model, field: StoredField): unknown;
  /** The fields that bodies may set, of a new row or of a change. */
  body(model: Model, isNew: boolean): Values;
}

/** What a record draws; the caller and the name of the record are added. */
export type DrawnCall = Omit<DrawnRequest, "caller" | "path">;

export const pathOf = (model: Model): string => `/${resourcePath(model)}`;
export const rowPath = (model: Model, key: Values): string => `${pathOf(model)}/${keyText(model, key)}`;

export function makeMaterial(draw: Draw, setup: Setup, models: Models): Material {
  const { value, pool } = makeValues(draw, setup.provider);
  const rowsOf = (model: Model) => setup.rows.filter((row) => row.model === model.name);
  const has: Material["has"] = (feature, model) => featureValue(setup.features, feature, model.name) !== undefined;
  const newValue = (model: Model, field: StoredField): unknown =>
    field.isForeignKey ? drawReference(draw, model, field, setup.rows) : value(field);
  const key: Material["key"] = (model) => {
    const rows = rowsOf(model);
    if (rows.length > 0 && draw.chance(0.85)) return keyOf(model, draw.pick(rows).values);
    return Object.fromEntries(
      keyFields(model).map((field) => [field.name, field.hasDefault ? draw.pick([1, 2, 99]) : newValue(model, field)]),
    );
  };
  return {
    ...{ setup, models, draw, has, key },
    value: (model, field) => {
      const values = rowsOf(model).map((row) => row.values[field.name]);
      const current = values.filter((one) => one !== null && one !== undefined && !Array.isArray(one));
      return current.length > 0 && draw.chance(0.6)
        ? draw.pick(current)
        : draw.pick([...pool(field, field.isId), ...(hasTimes(field) ? filteredDates : [])]);
    },
    body: (model, isNew) => {
      const settable = storedFields(model).filter((field) => isSettable(field) && !isReadonly(field.name, model));
      const fields = settable.filter((field) =>
        isNew ? isRequiredIn(field) || draw.chance(0.5) : !field.isId && draw.chance(0.25),
      );
      return Object.fromEntries(fields.map((field) => [field.name, newValue(model, field)]));
    },
  };

  function isReadonly(name: string, model: Model): boolean {
    const closed = ["readonly", "hidden"].flatMap(
      (feature) => (featureValue(setup.features, feature, model.name) as readonly string[] | undefined) ?? [],
    );
    // A few bodies contain fields that they must not.
    return closed.includes(name) && !draw.chance(0.03);
  }
}

const isSettable = ({ annotations, isUpdatedAt, isId, hasDefault }: StoredField): boolean =>
  !annotations.hidden && !annotations.readonly && !isUpdatedAt && !(isId && hasDefault);

/** The models of a case that a caller addresses, each as often. */
export const drawModel = ({ draw, models }: Material): Model => draw.pick(drawnModels(models));

export const query = (parameters: readonly (readonly [string, unknown])[]): string =>
  parameters.length === 0
    ? ""
    : `?${parameters.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`).join("&")}`;

/** A caller, most often one with rights. */
export const drawCaller = (draw: Draw): CallerName =>
  draw.pick<CallerName>(["anonymous", "mary", "nora", "edda", "edda", "vera", "root", "root"]);

/** A caller of a write, most often one who may write most rows. */
export const drawWriter = (draw: Draw): CallerName => (draw.chance(0.4) ? "root" : drawCaller(draw));
