import type { RequestHandler } from "express";
import { expectTypeOf } from "vitest";
import { z } from "zod";
import {
  type ComputedFieldConfig,
  defineModel,
  type Hook,
  type HookBody,
  type HookData,
  type HookLocals,
  type ModelConfig,
  type ModelHooks,
  type NewValues,
  type OrmQuery,
  type Row,
} from "../src/index.js";
import type { Post } from "./generated/blog/client/client.js";

interface Note {
  id: number;
  text: string;
}

// C45: an after hook sees rows of its model.
const afterCreateOne: Hook<"afterCreateOne", Post> = (request, response, next) => {
  expectTypeOf(response.locals.data).toEqualTypeOf<Post>();
  expectTypeOf(response.locals.data.createdAt).toEqualTypeOf<Date>();
  expectTypeOf(request.query).toEqualTypeOf<OrmQuery>();
  expectTypeOf(request.params.id).toEqualTypeOf<string | undefined>();
  response.locals.data = { ...response.locals.data, title: "x" };
  // @ts-expect-error a row has no such field
  response.locals.data.titel;
  next();
};

const hooks: ModelHooks<Post> = {
  beforeCreateOne: async (request, _response, next) => {
    expectTypeOf(request.body).toEqualTypeOf<Partial<Post>>();
    // @ts-expect-error a title is a text
    request.body.title = 3;
    next();
  },
  beforeCreateMany: [
    (request, _response, next) => {
      expectTypeOf(request.body).toEqualTypeOf<Partial<Post>[]>();
      next("route");
    },
    ((_request, _response, next) => next()) satisfies RequestHandler,
  ],
  beforeDeleteMany: (request) => expectTypeOf(request.body).toEqualTypeOf<{ ids: unknown[] } | undefined>(),
  afterFindMany: (_request, response) => {
    expectTypeOf(response.locals.data).toEqualTypeOf<Post[]>();
    expectTypeOf(response.locals.other).toBeUnknown();
    response.json({ own: true });
  },
  afterUpdateMany: (_request, response) => expectTypeOf(response.locals.data).toEqualTypeOf<Post[]>(),
  afterDeleteOne: (_request, response) => expectTypeOf(response.locals.data).toEqualTypeOf<undefined>(),
  beforeFindOne: (_request, response) => expectTypeOf(response.locals.data).toEqualTypeOf<undefined>(),
  afterCreateOne,
  // @ts-expect-error unknown hook
  afterSaveOne: afterCreateOne,
};

// A hook of one model does not fit another operation's rows.
// @ts-expect-error a list is no row
const wrong: Hook<"afterFindMany", Post> = afterCreateOne;

// Hooks of known rows fit where any model is allowed, also those of an interface.
const note = defineModel<Note>({
  hooks: { afterFindOne: (_request, response) => expectTypeOf(response.locals.data).toEqualTypeOf<Note>() },
});
const models: Readonly<Record<string, ModelConfig>> = {
  Post: { hooks },
  Note: note,
  Other: {
    hooks: {
      // Without a row type every field may be looked at.
      afterFindMany: (_request, response) => response.locals.data.map((row) => row.anything),
      beforeFindOne: ((_request, _response, next) => next()) as RequestHandler,
    },
  },
};

// @ts-expect-error unknown key
defineModel({ hiden: [] });
// @ts-expect-error unknown operation
defineModel({ operations: { findAll: true } });
// @ts-expect-error unknown schema
defineModel({ schemas: { delete: {} } });

export { models, wrong };

// The type of what each hook gets, by its name.
expectTypeOf<HookBody<"beforeCreateMany", Note>>().toEqualTypeOf<Partial<Note>[]>();
expectTypeOf<HookBody<"beforeUpdateOne", Note>>().toEqualTypeOf<Partial<Note>>();
expectTypeOf<HookBody<"beforeDeleteMany", Note>>().toEqualTypeOf<{ ids: unknown[] } | undefined>();
expectTypeOf<HookBody<"beforeFindOne", Note>>().toEqualTypeOf<unknown>();
expectTypeOf<HookData<"afterFindMany", Note>>().toEqualTypeOf<Note[]>();
expectTypeOf<HookData<"afterUpdateOne", Note>>().toEqualTypeOf<Note>();
expectTypeOf<HookData<"beforeUpdateOne", Note>>().toEqualTypeOf<undefined>();
expectTypeOf<HookData<"afterDeleteOne", Note>>().toEqualTypeOf<undefined>();
expectTypeOf<HookLocals<"afterFindMany", Note>["data"]>().toEqualTypeOf<Note[]>();

// C100: the values of new rows are computed from the source of the request.
expectTypeOf<NewValues<{ tenant: number }>["of"]>().parameter(0).toEqualTypeOf<{ tenant: number }>();
expectTypeOf<NewValues<unknown>["of"]>().returns.toEqualTypeOf<Row>();

// C102: a function of a typed row fits, and returns the type of the field.
const label: ComputedFieldConfig<z.ZodString> = {
  type: z.string(),
  needs: ["title"],
  compute: ({ title }: Pick<Post, "title">) => title.trim(),
};
({ computed: { label } }) satisfies ModelConfig;
// @ts-expect-error a value of another type
({ type: z.string(), needs: ["title"], compute: () => 1 }) satisfies ComputedFieldConfig<z.ZodString>;
