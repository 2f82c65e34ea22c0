import type { WritableModel } from "./writable-model.js";

/** A model without settable relations. @param reason why they are not settable, for the message */
export function fieldsOnly(writable: WritableModel, reason: string): WritableModel {
  const closed = [...writable.relations.keys()].map((name) => [name, reason] as const);
  return { ...writable, relations: new Map(), closed: new Map([...writable.closed, ...closed]) };
}

/** A model of which only the fields of the key are settable. */
export function keyOnly(writable: WritableModel): WritableModel {
  const { key } = writable.resource.model;
  const fields = new Map((key?.fields ?? []).map((field) => [field.name, field]));
  return { ...writable, fields, relations: new Map(), closed: new Map() };
}

/** A model of which only these fields are settable. */
export function fieldsNamed(writable: WritableModel, names: readonly string[]): WritableModel {
  const fields = new Map([...writable.fields].filter(([name]) => names.includes(name)));
  return { ...writable, fields, relations: new Map(), closed: new Map() };
}
