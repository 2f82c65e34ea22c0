import type { ModelConfig, OperationName } from "@servicekit/model-router";
import type { ModelsData } from "@servicekit/prisma";
import type { AccessRule } from "@servicekit/router";
import type { Request } from "express";
import type { z } from "zod";
import type { AuthModuleConfig, FileUploadModuleConfig } from "./service-config.js";
import type { TypedComputed, TypedComputedModels, UntypedComputed } from "./typed-computed.js";

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

type Rights<Role extends string, Field extends string, Computed extends string> = {
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
  readonly fields?: { readonly [Name in Role | "*"]?: readonly (Field | Computed)[] };
};

type Filter<Field extends string> = { readonly [Name in Field | "AND" | "OR" | "NOT"]?: unknown };
type Rule<Field extends string> = (request: Request) => Filter<Field> | boolean | Promise<Filter<Field> | boolean>;

/**
 * {@link ModelConfig} of one model, typed with its field names and roles.
 *
 * @typeParam Computed the names of its computed fields
 */
export type TypedModelConfig<
  Data extends ModelsData,
  Name extends ModelName<Data>,
  Computed extends string = never,
> = Omit<ModelConfig, "auth" | "hidden" | "readonly" | "writable" | "searchable" | "computed"> & {
  readonly auth?: Rights<RoleName<Data>, FieldName<Data, Name>, Computed>;
  readonly hidden?: readonly (FieldName<Data, Name> | Computed)[];
  readonly computed?: Readonly<Record<string, UntypedComputed>>;
} & { readonly [Key in "readonly" | "writable" | "searchable"]?: readonly FieldName<Data, Name>[] };

/**
 * `models` of the configuration, typed with the names of models, fields and roles.
 *
 * @typeParam Types the values of the computed fields of each model
 */
export type TypedModels<Data extends ModelsData, Types = unknown> = {
  readonly [Name in ModelName<Data>]?: TypedModelConfig<
    Data,
    Name,
    Name extends keyof Types ? keyof Types[Name] & string : never
  >;
} & {
  readonly auth?: AuthModuleConfig;
  readonly "file-upload"?: FileUploadModuleConfig;
};

/** Rejects other keys, which an inferred type accepts. */
type NoOthers<Inferred, Known> = { readonly [Key in Exclude<keyof Inferred, Known>]: never };

/** {@link ModelConfig} with the types of its computed fields, for clients. */
export type DefinedModel<Types> = Omit<ModelConfig, "computed"> & {
  readonly computed?: { readonly [Field in keyof Types]: { readonly type: z.ZodType<Types[Field]> } };
};

/** Types the configuration of the generated models. */
export interface ModelTyping<Data extends ModelsData> {
  /** For `models` of `service.init`. */
  defineModels<const Config extends TypedModels<Data, Types>, const Needs, const Types>(
    config: Config & TypedComputedModels<Data, Needs, Types> & NoOthers<Needs, keyof TypedModels<Data>>,
  ): Config;
  /** For the file of one model's module. Clients read the types of its computed fields with `ComputedOf`. */
  defineModel<Name extends ModelName<Data>, const Needs, const Types>(
    name: Name,
    config: TypedModelConfig<Data, Name, NoInfer<keyof Types & string>> & {
      readonly computed?: TypedComputed<Data, Name, Needs, Types>;
    },
  ): DefinedModel<Types>;
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
    defineModel: (_name: string, config: object) => config,
  });
}
