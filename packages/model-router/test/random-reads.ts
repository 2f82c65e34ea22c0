import type { Database, Model, Models, RelationField, StoredField } from "@servicekit/prisma";
import { isSortable } from "@servicekit/prisma/internal";
import type { Draw } from "../../../scripts/test/random-draw.js";

type Args = Record<string, unknown>;

const isStored = (field: { readonly kind: string }): field is StoredField =>
  field.kind === "scalar" || field.kind === "enum";
const texts = [
  "",
  "a",
  "A",
  "ab",
  "a%b",
  "_",
  "\\",
  "é",
  "ß",
  "日本",
  '"q"',
  "it's",
  "line\nbreak",
  " lead",
  "\u0001",
  "🎵",
  "null",
];
const numbers = [0, 1, 2, 3, -1, 42, 32767];

/** The database contains years that JavaScript does not support. */
const isNoDate = (value: unknown): boolean => value instanceof Date && Number.isNaN(value.getTime());

/** A possible value of a column, in Prisma's form. */
export function anyValue(field: StoredField, draw: Draw): unknown {
  if (field.kind === "enum") return draw.pick(field.values);
  const native = field.nativeType?.name;
  switch (field.type) {
    case "Boolean":
      return draw.chance(0.5);
    case "Int":
      return draw.pick(numbers);
    case "BigInt":
      return draw.pick([0n, 1n, -1n, 9007199254740993n, 9223372036854775807n]);
    case "Float":
      return draw.pick([0, 0.5, -1.25, 1e21, 5e-7, 123456789.125, ...(native === "Real" ? [] : [5e-324, 0.1 + 0.2])]);
    case "Decimal":
      return draw.pick(["0", "0.1", "-0.10", "12.5", "99999.99", "1000"]);
    case "DateTime":
      return new Date(
        draw.pick([0, 1_700_000_000_000, 1_700_000_000_123, -1, -62_135_596_800_000, 253_402_300_799_999]),
      );
    case "Bytes":
      return new Uint8Array(draw.pick([[], [0], [0, 255], [97, 98, 99]]));
    case "Json":
      return draw.pick([1, "a", true, { b: 1, a: [1.5, null, "\n"] }, [], 1e21]);
  }
  switch (native) {
    case "Uuid":
      return draw.pick(["6f2c1f0e-6a9e-4a52-9a0e-0d1e4b3f2a11", "00000000-0000-4000-8000-000000000000"]);
    case "Inet":
      return draw.pick(["10.0.0.1", "10.0.0.0/8"]);
    case "Bit":
      return draw.pick(["101", "000"]);
    case "VarBit":
      return draw.pick(["1", "10101"]);
    case "Xml":
      return "<a/>";
  }
  return [...draw.pick(texts)].slice(0, Number(field.nativeType?.args[0] ?? 20)).join("");
}

/** Reads of every shape that a request can cause, and more, over the existing rows. */
export function makeReader(models: Models, rows: ReadonlyMap<string, readonly Readonly<Args>[]>, draw: Draw) {
  const modelOf = (name: string): Model => models.get(name) as Model;
  const storedOf = (model: Model): readonly StoredField[] => model.fields.filter(isStored);
  const relationsOf = (model: Model): readonly RelationField[] =>
    model.fields.filter((field): field is RelationField => field.kind === "relation");

  const operand = (model: Model, field: StoredField): unknown => {
    const known = (rows.get(model.name) ?? [])
      .map((row) => row[field.name])
      .filter((value) => value !== null && !isNoDate(value));
    return known.length > 0 && draw.chance(0.7) ? draw.pick(known) : anyValue(field, draw);
  };
  const condition = (model: Model, field: StoredField): Args => {
    const { name } = field;
    if (!field.isRequired && draw.chance(0.2)) return { [name]: draw.pick([null, { equals: null }, { not: null }]) };
    const value = operand(model, field);
    const isText =
      field.type === "String" &&
      field.kind === "scalar" &&
      [undefined, "Text", "VarChar"].includes(field.nativeType?.name);
    const orders = isSortable(field) && field.kind !== "enum" && !["Boolean", "Bytes"].includes(field.type);
    const several = () => Array.from({ length: draw.below(4) }, () => operand(model, field));
    const ways: (() => unknown)[] = [
      () => value,
      () => ({ equals: value }),
      () => ({ not: value }),
      ...(field.type === "Boolean" ? [] : [() => ({ in: several() }), () => ({ notIn: several() })]),
    ];
    if (orders)
      ways.push(
        () => ({ [draw.pick(["lt", "lte", "gt", "gte"])]: value }),
        () => ({ gte: value, lt: operand(model, field) }),
      );
    if (isText) {
      const word = () => draw.pick(["contains", "startsWith", "endsWith"]);
      const part = () =>
        String(value)
          .slice(0, 2)
          .replaceAll(/[\\%_]/g, "\\$&");
      ways.push(
        () => ({ [word()]: part() }),
        () => ({ [draw.pick([word(), "equals"])]: part(), mode: "insensitive" }),
      );
    }
    return { [name]: draw.pick(ways)() };
  };
  const where = (model: Model, depth: number): Args => {
    const groups = depth > 0 && draw.chance(0.5);
    if (groups) {
      const parts = Array.from({ length: 1 + draw.below(3) }, () => where(model, depth - 1));
      return draw.pick<() => Args>([
        () => ({ AND: parts }),
        () => ({ OR: parts }),
        () => ({ NOT: parts[0] }),
        () => Object.assign({}, ...parts),
      ])();
    }
    const relations = depth > 0 ? relationsOf(model) : [];
    if (relations.length > 0 && draw.chance(0.4)) {
      const field = draw.pick(relations);
      if (!field.isList && !field.isRequired && draw.chance(0.2))
        return { [field.name]: { [draw.pick(["is", "isNot"])]: null } };
      const word = draw.pick(field.isList ? ["some", "every", "none"] : ["is", "isNot"]);
      return { [field.name]: { [word]: draw.chance(0.1) ? {} : where(modelOf(field.type), depth - 1) } };
    }
    const fields = storedOf(model).filter(
      ({ isList, type, nativeType }) => !isList && type !== "Json" && nativeType?.name !== "Xml",
    );
    return fields.length === 0 ? {} : condition(model, draw.pick(fields));
  };
  const direction = (field: StoredField): unknown =>
    field.isRequired || draw.chance(0.7)
      ? draw.pick(["asc", "desc"])
      : { sort: draw.pick(["asc", "desc"]), nulls: draw.pick(["first", "last"]) };
  /** Ends with a key, so that there is only one order. */
  const orderBy = (model: Model): readonly Args[] => {
    const sortable = storedOf(model).filter(isSortable);
    const keys = (model.uniqueKeys[0]?.fields ?? sortable).map(({ name }) => ({ [name]: draw.pick(["asc", "desc"]) }));
    if (draw.chance(0.3)) return keys;
    const one = relationsOf(model).filter(({ isList }) => !isList);
    if (one.length > 0 && draw.chance(0.4)) {
      const field = draw.pick(one);
      const theirs = draw.pick(storedOf(modelOf(field.type)).filter(isSortable));
      return [{ [field.name]: { [theirs.name]: direction(theirs) } }, ...keys];
    }
    const field = draw.pick(sortable);
    return [{ [field.name]: direction(field) }, ...keys.filter((key) => !(field.name in key))];
  };
  const select = (model: Model, depth: number): Args => {
    const chosen = storedOf(model).filter(() => draw.chance(0.5));
    const shown: Args = Object.fromEntries(
      (chosen.length > 0 ? chosen : storedOf(model).slice(0, 1)).map(({ name }) => [name, true]),
    );
    if (depth === 0) return shown;
    for (const field of relationsOf(model)) {
      if (!draw.chance(0.3)) continue;
      const target = modelOf(field.type);
      const inner = select(target, depth - 1);
      shown[field.name] = field.isList
        ? {
            select: inner,
            orderBy: orderBy(target),
            ...(draw.chance(0.8) ? { take: 1 + draw.below(4) } : {}),
            ...(draw.chance(0.3) ? { where: where(target, 1) } : {}),
          }
        : { select: inner };
    }
    return shown;
  };

  /** One read of the database. */
  return async (database: Database, model: Model): Promise<void> => {
    const delegate = database.of(model);
    const seen = { model, models };
    const key = model.uniqueKeys[0];
    const known = rows.get(model.name) ?? [];
    if (key !== undefined && known.length > 0 && draw.chance(0.2)) {
      const whereOf = (row: Readonly<Args>): Args => {
        const values = Object.fromEntries(key.fields.map(({ name }) => [name, row[name]]));
        return key.fields.length === 1 ? values : { [key.name]: values };
      };
      const rest = draw.chance(0.3) ? { AND: [where(model, 1)] } : {};
      const shown = select(model, 2);
      const read = (row: Readonly<Args>) => ({ where: { ...whereOf(row), ...rest }, select: shown });
      if (draw.chance(0.5)) {
        await delegate.findUnique(read(draw.pick(known)));
        return;
      }
      // Concurrently, like requests: some of them twice, some for missing rows.
      const strange = Object.fromEntries(key.fields.map((field) => [field.name, anyValue(field, draw)]));
      // Prisma also reads these together, and then does not find a date by a time of it, which it finds alone.
      const isReported = key.fields.every(({ nativeType }) => nativeType?.name !== "Date");
      const requested = Array.from({ length: 1 + draw.below(6) }, () =>
        isReported && draw.chance(0.1) ? strange : draw.pick(known),
      );
      await Promise.all(requested.map((row) => delegate.execute({ operation: "findUnique", args: read(row) }, seen)));
      return;
    }
    const requested = draw.chance(0.1) ? {} : where(model, 3);
    if (draw.chance(0.15)) {
      await delegate.count({ where: requested, ...(draw.chance(0.3) ? { take: draw.below(4) } : {}) });
      return;
    }
    const page = draw.chance(0.8) ? { take: 1 + draw.below(6), skip: draw.below(4) } : {};
    const args = { where: requested, orderBy: orderBy(model), select: select(model, 2), ...page };
    const total = draw.chance(0.5) ? { where: draw.chance(0.8) ? requested : {} } : undefined;
    const shown = draw.chance(0.3) ? 1 + draw.below(5) : undefined;
    await (draw.chance(0.3)
      ? delegate.findMany(args)
      : delegate.execute({ operation: "findMany", args, total, shown }, seen));
  };
}
