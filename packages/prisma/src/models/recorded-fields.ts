import { isHidden } from "./is-hidden.js";
import { storedFields } from "./is-stored.js";
import type { Model, StoredField } from "./model.js";

/** The fields of a model that its recorded changes contain: the visible columns, and the key. */
export const recordedFields = (model: Model): readonly StoredField[] =>
  storedFields(model).filter((field) => !isHidden(field) || model.key?.fields.includes(field) === true);
