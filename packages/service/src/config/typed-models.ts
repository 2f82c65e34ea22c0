import type { ModelConfig, OperationName } from "@servicekit/model-router";
import type { ModelsData } from "@servicekit/prisma";
import type { AccessRule } from "@servicekit/router";
import type { Request } from "express";
import type { AuthModuleConfig, FileUploadModuleConfig } from "./service-config.js";

/** The names of the models in the generator's output. */
export type ModelName<Data extends ModelsData> = Data["models"][number]["name"];

/** The names of a model's fields and relations. */
export type FieldName<Data extends ModelsData, Name extends ModelName<Data>> = Extract<
  Data["models"][number],
  { readonly name: Name }
>["fields"][number]["name"];

type RoleField<Data extends ModelsData> = Extract<
  Extract<Data["models"][number], { readonly name: "User" }>["fields"][number],
  { readonly name: "role" | "roles" }
>;

type RoleEnum<Data extends ModelsData> = Extract<
  Data["enums"][number],
  { readonly name: RoleField<Data> extends { readonly type: infer Type } ? Type : never }
>;

/** The roles of users if they are an enum; otherwise any string. */
export type RoleName<Data extends ModelsData> = [RoleEnum<Data>] extends [never]
  ? string
  : RoleEnum<Data>["values"][number]["name"];

type Rights<Role extends string, Field extends string> = {
  readonly [Name in OperationName]?:
    | boolean
    | readonly (Role | "*")[]
    | {
        readonly rule?:
          | boolean
          | readonly (Role | "*")[]
          | (Omit<AccessRule, "roles"> & { readonly roles: readonly (Role | "*")[] });
        readonly where?: Rule<Field>;
      };
} & {
  readonly where?: Rule<Field>;
  readonly fields?: { readonly [Name in Role | "*"]?: readonly Field[] };
};

type Filter<Field extends string> = { readonly [Name in Field | "AND" | "OR" | "NOT"]?: unknown };
type Rule<Field extends string> = (request: Request) => Filter<Field> | boolean | Promise<Filter<Field> | boolean>;

/** {@link ModelConfig} of one model, typed with its field names and roles. */
export type TypedModelConfig<Data extends ModelsData, Name extends ModelName<Data>> = Omit<
  ModelConfig,
  "auth" | "hidden" | "readonly" | "writable" | "searchable"
> & {
  readonly auth?: Rights<RoleName<Data>, FieldName<Data, Name>>;
} & { readonly [Key in "hidden" | "readonly" | "writable" | "searchable"]?: readonly FieldName<Data, Name>[] };

/** `models` of the configuration, typed with the names of models, fields and roles. */
export type TypedModels<Data extends ModelsData> = {
  readonly [Name in ModelName<Data>]?: TypedModelConfig<Data, Name>;
} & {
  readonly auth?: AuthModuleConfig;
  readonly "file-upload"?: FileUploadModuleConfig;
};

/** Types the configuration of the generated models. */
export interface ModelTyping<Data extends ModelsData> {
  /** For `models` of `service.init`. */
  defineModels<const Config extends TypedModels<Data>>(config: Config): Config;
  /** For the file of one model's module. */
  defineModel<Name extends ModelName<Data>>(name: Name, config: TypedModelConfig<Data, Name>): ModelConfig;
}

/**
 * Types the configuration of models with the names of the schema: a misspelled model, field or role is a compile error.
 *
 * @example
 * import { models } from "./generated/service/models.js";
 * const { defineModels } = typedModels(models);
 * service.init({ database: { client, models }, models: defineModels({ Post: { hidden: ["draft"] } }) });
 */
export function typedModels<const Data extends ModelsData>(_models: Data): ModelTyping<Data> {
  return Object.freeze({
    defineModels: <const Config>(config: Config) => config,
    defineModel: (_name: string, config: object) => config as ModelConfig,
  });
}
