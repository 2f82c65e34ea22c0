import type { ModelConfig } from "@servicekit/model-router";
import type { Model, Models, StoredField } from "@servicekit/prisma";
import { callerOf } from "@servicekit/router";
import type { Request, RequestHandler } from "express";
import { z } from "zod";
import type { Draw } from "../../../../scripts/test/random-draw.js";
import { type Role, roles } from "./callers.js";
import type { DrawnFeature, Values } from "./cases.js";
import type { FeatureContext, ModelFeature } from "./features.js";
import { isRequiredIn, keyFields, relationFields, storedFields } from "./rows.js";
import { drawRule, type Rule, ruleFor } from "./rules.js";

type Auth = NonNullable<ModelConfig["auth"]>;
/** `false`: everyone; `true`: signed-in users. */
type Level = boolean | readonly Role[];

const levels: readonly Level[] = [false, true, true, true, ["MEMBER", "EDITOR"], ["EDITOR", "AUDITOR"]];

const withAuth = (config: ModelConfig, auth: Auth): ModelConfig => ({ ...config, auth: { ...config.auth, ...auth } });

/** The operations of one row and of many have the same rights: a rule of one would not apply to the other. */
const operationsOf: Readonly<Record<string, readonly string[]>> = {
  find: ["findMany", "findOne"],
  create: ["createOne", "createMany"],
  update: ["updateOne", "updateMany"],
  delete: ["deleteOne", "deleteMany"],
};

const fieldsOfCallers: ReadonlySet<string> = new Set([
  "tenantId",
  "deletedAt",
  "isOpen",
  "ownerId",
  "photo",
  "updatedAt",
]);

/** Stored fields that a case can hide: rows are created without them. */
const optionalFields = (model: Model): readonly StoredField[] =>
  storedFields(model).filter(
    (field) =>
      !field.isId &&
      !field.isForeignKey &&
      !field.annotations.hidden &&
      !fieldsOfCallers.has(field.name) &&
      (!field.isRequired || field.hasDefault || field.isList),
  );

const textFields = (model: Model): readonly StoredField[] =>
  storedFields(model).filter(
    (field) =>
      field.type === "String" && !field.isList && !field.annotations.hidden && field.nativeType?.name !== "Uuid",
  );

const isPlainText = ({ isId, isForeignKey, nativeType, name }: StoredField): boolean =>
  !isId && !isForeignKey && nativeType === undefined && name !== "photo";

const some = <Item>(draw: Draw, items: readonly Item[], share: number): readonly Item[] =>
  items.filter(() => draw.chance(share));

const drawNames = (draw: Draw, fields: readonly StoredField[], share: number): readonly string[] | undefined => {
  const names = some(draw, fields, share).map(({ name }) => name);
  return names.length === 0 ? undefined : names;
};

const simple = (key: "upsert" | "import" | "export" | "aggregate", share: number): ModelFeature => ({
  key,
  share,
  draw: () => true,
  apply: (config) => ({ ...config, [key]: true }),
});

const isPresent = z.unknown().refine((value) => value !== undefined && value !== null);

/** Continues later. Hooks do not change rows, because nested writes run none. */
const beforeHook: RequestHandler = (_request, _response, next) => void setImmediate(next);

/** Reads the rows, which are objects only for hooks, and adds metadata. */
const afterHook: RequestHandler = (_request, { locals }, next) => {
  const rows = [locals.data ?? []].flat() as readonly Values[];
  if (locals.meta !== undefined) locals.meta = { ...locals.meta, fields: rows.map((row) => Object.keys(row).length) };
  next();
};

/** The records of the features of models, those that others depend on first. */
export const modelFeatures: readonly ModelFeature[] = [
  {
    key: "access",
    share: 0.97,
    draw: (draw) => Object.fromEntries(Object.keys(operationsOf).map((action) => [action, draw.pick(levels)])),
    apply: (config, value: Readonly<Record<string, Level>>) =>
      withAuth(
        config,
        Object.fromEntries(
          Object.entries(value).flatMap(([action, level]) =>
            (operationsOf[action] ?? []).map((operation) => [operation, level]),
          ),
        ) as Auth,
      ),
  },
  {
    key: "rowRule",
    share: 0.4,
    draw: (draw, model, models) =>
      Object.fromEntries([...roles, "others"].map((role) => [role, drawRule(draw, model, models)])),
    apply: (config, value: Readonly<Record<string, Rule>>) =>
      withAuth(config, {
        where: (request: Request) => {
          const caller = callerOf(request);
          const role = caller?.roles.find((name) => name in value) ?? "others";
          return ruleFor(value[role] ?? false, caller?.id);
        },
      }),
  },
  {
    key: "hidden",
    share: 0.3,
    draw: (draw, model) => drawNames(draw, optionalFields(model), 0.3),
    apply: (config, value: readonly string[]) => ({ ...config, hidden: value }),
  },
  {
    key: "readonly",
    share: 0.25,
    draw: (draw, model) => drawNames(draw, optionalFields(model), 0.3),
    apply: (config, value: readonly string[]) => ({ ...config, readonly: value }),
  },
  {
    key: "writable",
    share: 0.8,
    draw: (draw, model, models) => {
      const names = some(draw, relationFields(model, models), 0.8).map(({ name }) => name);
      return names.length === 0 ? undefined : names;
    },
    apply: (config, value: readonly string[]) => ({ ...config, writable: value }),
  },
  {
    key: "computed",
    share: 0.3,
    draw: (draw, model) => {
      const names = textFields(model).map(({ name }) => name);
      return names.length === 0 ? undefined : draw.pick(names);
    },
    apply: (config, value: string) => ({
      ...config,
      computed: {
        heading: { type: z.string(), needs: [value], compute: (row) => `<${row[value]}>` },
      } as NonNullable<ModelConfig["computed"]>,
    }),
  },
  {
    key: "computedSql",
    share: 0.25,
    providers: ["postgresql"],
    draw: (draw, model) => {
      const names = textFields(model).filter(({ nativeType }) => nativeType === undefined);
      return names.length === 0 ? undefined : draw.pick(names).name;
    },
    apply: (config, value: string) => ({
      ...config,
      computed: {
        ...config.computed,
        framed: {
          type: z.string(),
          needs: [value],
          compute: (row) => `<${row[value] ?? ""}>`,
          sql: ({ column, sql }) => sql`${"<"} || coalesce(${column(value)}, ${""}) || ${">"}`,
        },
      } as NonNullable<ModelConfig["computed"]>,
    }),
  },
  {
    key: "fieldRoles",
    share: 0.35,
    draw: (draw, model, models) => drawFieldRoles(draw, model, models),
    apply: (config, value: Readonly<Record<string, readonly string[]>>) => {
      const names = (fields: readonly string[]) => fields.filter((name) => !config.hidden?.includes(name));
      return withAuth(config, {
        fields: Object.fromEntries(Object.entries(value).map(([role, fields]) => [role, names(fields)])),
      });
    },
  },
  {
    key: "softDelete",
    share: 0.6,
    draw: (draw) => ({
      findDeleted: draw.pick<Level>([["AUDITOR"], ["AUDITOR", "EDITOR"]]),
      restoreOne: draw.pick<Level>([["AUDITOR", "EDITOR"], true]),
      deletePermanently: draw.pick<Level>([["AUDITOR"], ["EDITOR"]]),
    }),
    apply: (config, value: Auth, context) => ({
      ...withAuth(config, value),
      softDelete: { keep: keptRelations(context) },
    }),
  },
  {
    key: "changes",
    share: 0.75,
    providers: ["postgresql"],
    draw: (draw) => ({ history: draw.chance(0.7), events: draw.chance(0.7) }),
    apply: (config, value: { readonly history: boolean; readonly events: boolean }) => ({ ...config, changes: value }),
  },
  {
    key: "search",
    share: 0.3,
    providers: ["postgresql"],
    draw: (draw, model) => {
      const fields = drawNames(
        draw,
        textFields(model).filter(({ nativeType }) => nativeType === undefined),
        0.7,
      );
      return fields === undefined ? undefined : { fields, language: draw.pick(["simple", "english"]) };
    },
    apply: (config, value: NonNullable<ModelConfig["search"]> & { readonly fields: readonly string[] }) => {
      const fields = value.fields.filter((name) => !config.hidden?.includes(name));
      return fields.length === 0 ? config : { ...config, search: { ...value, fields } as typeof value };
    },
  },
  {
    key: "defaultFilter",
    share: 0.1,
    draw: () => true,
    apply: (config) => {
      const query = { where: { isOpen: true } };
      return { ...config, query: { findMany: query, findOne: query } };
    },
  },
  {
    key: "uploads",
    share: 0.5,
    draw: (_draw, model) => (model.fieldsByName.has("photo") ? true : undefined),
    apply: (config) => {
      const photo = { type: "single", field: "photo", deleteOnError: true } as const;
      return { ...config, uploads: { createOne: photo, updateOne: photo } };
    },
  },
  {
    key: "hooks",
    share: 0.25,
    draw: (draw) => some(draw, Object.keys(operationsOf), 0.6),
    apply: (config, value: readonly string[]) => {
      const names = value.flatMap((action) => operationsOf[action] ?? []);
      const hooks = names.flatMap((name) => {
        const operation = `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
        return [
          [`before${operation}`, beforeHook],
          [`after${operation}`, value.includes("find") ? afterHook : [beforeHook, afterHook]],
        ] as const;
      });
      return { ...config, hooks: Object.fromEntries(hooks) };
    },
  },
  simple("upsert", 0.5),
  simple("import", 0.5),
  simple("export", 0.5),
  simple("aggregate", 0.5),
  {
    key: "schema",
    share: 0.15,
    draw: (draw, model) => {
      const names = drawNames(draw, textFields(model).filter(isPlainText), 0.5);
      return names === undefined ? undefined : draw.pick(names);
    },
    apply: (config, value: string, { model }) => {
      const text = z.string().transform((input) => input.toUpperCase());
      // It replaces the schema of the model. Relations set foreign keys.
      const required = storedFields(model).filter((field) => isRequiredIn(field) && !field.isForeignKey);
      const isNullable = model.fieldsByName.get(value)?.isRequired === false;
      const update = z.looseObject({ [value]: isNullable ? text.nullish() : text.optional() });
      const create = z.looseObject({
        ...update.shape,
        ...Object.fromEntries(required.map(({ name }) => [name, name === value ? text : isPresent])),
      });
      return config.hidden?.includes(value) || config.readonly?.includes(value)
        ? config
        : { ...config, schemas: { create, update } };
    },
  },
  {
    key: "operations",
    share: 0.15,
    draw: (draw) => some(draw, ["create", "update", "delete"], 0.4),
    apply: (config, value: readonly string[]) => {
      const names = value.flatMap((action) => operationsOf[action] ?? []);
      const { import: _, upsert: __, ...others } = config;
      const operations = Object.fromEntries(names.map((name) => [name, false]));
      return { ...(value.some((action) => action !== "delete") ? others : config), operations };
    },
  },
];

/** The actions of stored permissions. */
const storedActions: Readonly<Record<string, string>> = {
  ...{ find: "View", create: "Create", update: "Update", delete: "Delete" },
  ...{ findDeleted: "ViewDeleted", restoreOne: "Restore", deletePermanently: "DeletePermanently" },
};

/** The access of a case as stored permissions: the resource, the action and the role of each. */
export const storedPermissions = (
  features: readonly DrawnFeature[],
  models: Models,
): readonly { readonly resource: string; readonly action: string; readonly role: Role }[] =>
  features
    .filter(({ key }) => key === "access" || key === "softDelete")
    .flatMap(({ model = "", value }) =>
      Object.entries(value as Readonly<Record<string, Level>>).flatMap(([operation, level]) =>
        (level === true ? roles : level === false ? [] : level).map((role) => ({
          ...{ resource: models.get(model)?.resource ?? "", action: storedActions[operation] ?? "", role },
        })),
      ),
    );

/** Keys are visible to all roles, because requests identify rows by them. */
function drawFieldRoles(draw: Draw, model: Model, models: Models): Readonly<Record<string, readonly string[]>> {
  const keys = keyFields(model).map(({ name }) => name);
  const others = [...storedFields(model), ...relationFields(model, models)]
    .filter((field) => !keys.includes(field.name) && !field.annotations.hidden)
    .map(({ name }) => name);
  const all = [...keys, ...some(draw, others, 0.7)];
  const rest = others.filter((name) => !all.includes(name));
  const ofRoles = roles.map((role) => [role, some(draw, rest, 0.5)] as const);
  return { "*": all, ...Object.fromEntries(ofRoles.filter(([, names]) => names.length > 0)) };
}

/** The relations with `onDelete: Cascade` whose rows stay, because their model has no soft delete. */
function keptRelations({ model, models, featureOf }: FeatureContext): readonly string[] {
  return relationFields(model, models).flatMap(({ name, type, relation }) => {
    const opposite = models.get(type)?.fieldsByName.get(relation.opposite ?? "");
    const cascades = opposite?.kind === "relation" && opposite.relation.onDelete === "Cascade";
    return cascades && featureOf("softDelete", type) === undefined ? [name] : [];
  });
}
