import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { loadModules } from "@servicekit/config-loader/internal";
import { StartupError } from "@servicekit/core";
import { readModels } from "@servicekit/prisma";
import { type Schema } from "@servicekit/router";
import { isZodSchema } from "@servicekit/router/internal";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { modulesOf } from "../../../scripts/test/module-folder.js";
import { checkModelConfigs, mergeModelConfigs, modelModules, toModelConfig } from "../src/internal.js";
import { models as records } from "./generated/records/models.js";

const makeModules = modulesOf(import.meta.dirname);

const id = { kind: "scalar", name: "id", type: "Int", default: { function: "autoincrement" } } as const;
const keys = [{ kind: "id", fields: ["id"] }] as const;
const text = (name: string) => ({ kind: "scalar", name, type: "String" }) as const;
const models = readModels({
  format: 1,
  enums: [],
  models: [
    { name: "Post", fields: [id, text("title"), text("content")], keys },
    { name: "MediaType", fields: [id, text("name")], keys },
  ],
});

const recordModels = readModels(records);

const load = (directory: string) =>
  loadModules<Schema>({
    directory,
    kinds: modelModules(models),
    isSchema: (value): value is Schema => isZodSchema(value) || typeof value === "function",
  });

/** The issues of a startup, each as its place below the modules and its sentence. */
async function issuesOf(files: Readonly<Record<string, string>>): Promise<string[]> {
  const directory = await makeModules(files);
  const error: unknown = await load(directory).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(StartupError);
  return (error as StartupError).issues.map(
    ({ where, message }) => `${where.replace(`${directory}/`, "")}: ${message}`,
  );
}

const hook = "(request, response, next) => next()";

describe("C44 modules of models", () => {
  it("the files of a model's module are merged into one configuration", async () => {
    const directory = await makeModules({
      "post/post.middlewares.js": `export const beforeCreateOne = ${hook};`,
      "post/post.model.js": "export default { bulkItems: 5, hooks: {} };",
      "post/post.schemas.ts": `import { z } from "zod"; export const create = z.object({ title: z.string() });`,
    });
    const found = await load(directory);
    expect(toModelConfig(found.get("post") ?? {})).toEqual({
      bulkItems: 5,
      hooks: { beforeCreateOne: expect.any(Function) },
      schemas: { create: expect.objectContaining({ _zod: expect.anything() }) },
    });
  });

  it("reports every misspelled hook and schema of a model, and every issue of its configuration", async () => {
    expect(
      await issuesOf({
        "post/post.middlewares.js": `
          export const beforeCreatOne = ${hook};
          export const afterSaving = ${hook};
          export const afterFindOne = [${hook}, 3];
          export default ${hook};`,
        "post/post.model.js": `export default {
          hiden: [], hidden: ["titel"], operations: { findAll: true, createOne: 1 }, bulkItems: 0, searchable: ["id"],
          auth: { findMny: true, createOne: "admin", where: {}, fields: { editor: ["content", "x"] } },
          query: { findMany: 3 }, uploads: { findOne: {} }, include: { deep: 2 }, page: [], writable: "title",
        };`,
        "post/post.schemas.js": `export const creat = {}; export const update = { title: "string" };`,
      }),
    ).toEqual([
      "post/post.middlewares.js (afterFindOne): Expected a function or a list of functions, found a list of 2.",
      "post/post.middlewares.js: Unknown hook beforeCreatOne. Did you mean beforeCreateOne?",
      expect.stringContaining("post/post.middlewares.js: Unknown hook afterSaving"),
      "post/post.middlewares.js: Default exports are not read here: export each hook by its name.",
      "post/post.model.js: Post.operations.createOne: found 1 (a number), expected true or false.",
      expect.stringContaining("post/post.model.js: Post.operations.findAll: Unknown key; expected one of: findMany"),
      "post/post.model.js: Post.page: found an empty list, expected an object.",
      "post/post.model.js: Post.bulkItems: found 0 (a number), expected an integer of at least 1.",
      "post/post.model.js: Post.include.deep: Unknown key; expected one of: depth, rows, total.",
      'post/post.model.js: Post.auth.createOne: found "admin" (text), expected true, false, a list of roles or an object with rule and where.',
      "post/post.model.js: Post.auth.where: found an object, expected a function from the request to a filter, true or false.",
      "post/post.model.js: Post.auth.findMny: Unknown key. Did you mean findMany?",
      'post/post.model.js: Post.writable: found "title" (text), expected a list of field names.',
      "post/post.model.js: Post.query.findMany: found 3 (a number), expected an object of query options.",
      "post/post.model.js: Post.uploads.findOne: Unknown key; expected one of: createOne, updateOne.",
      "post/post.model.js: Post.hiden: Unknown key. Did you mean hidden?",
      "post/post.model.js: Post.hidden: Unknown field titel. Did you mean title?",
      "post/post.model.js: Post.searchable: Unknown text field id; expected one of title, content.",
      expect.stringContaining("post/post.model.js: Post.auth.fields.editor: Unknown field x"),
      "post/post.schemas.js (update): Expected a Zod schema or a class with class-validator decorators, found an object.",
      "post/post.schemas.js: Unknown schema creat. Did you mean create?",
    ]);
  });

  it("reports every invalid computed field", () => {
    const compute = () => "";
    const type = z.string();
    const tree: z.ZodType = z.object({ children: z.array(z.lazy(() => tree)) });
    const computed = {
      title: { type, needs: [], compute },
      long__name: { type, needs: [], compute },
      wrongNeeds: { type, needs: ["titel", "author"], compute },
      notJson: { type: z.date(), needs: [], compute },
      recursive: { type: tree, needs: [], compute },
      half: { type, needs: ["title"] },
      late: { type, needs: [], compute: async () => "" },
      odd: { type: "String", needs: "title", compute: 1, sql: "x" },
      nothing: 1,
    };
    const auth = { fields: { editor: ["half", "hlf"] } };
    const Post = { computed, auth, hidden: ["late"], readonly: ["half"], searchable: ["half"] };
    const issues = (() => {
      try {
        checkModelConfigs({ Post } as never, models);
      } catch (error) {
        return (error as StartupError).issues.map(({ where, message }) => `${where}: ${message}`);
      }
    })();
    expect(issues).toMatchInlineSnapshot(`
      [
        "models.Post.computed.odd.type: found "String" (text), expected a Zod schema.",
        "models.Post.computed.odd.needs: found "title" (text), expected a list of field names.",
        "models.Post.computed.odd.compute: found 1 (a number), expected a function.",
        "models.Post.computed.odd.sql: found "x" (text), expected a function.",
        "models.Post.computed.nothing: found 1 (a number), expected an object.",
        "models.Post.computed.title: Post already has a field title.",
        "models.Post.computed.long__name: Expected a name of letters, digits and single underscores.",
        "models.Post.computed.wrongNeeds.needs: Unknown field titel. Did you mean title?",
        "models.Post.computed.wrongNeeds.needs: Unknown field author; expected one of id, title, content.",
        "models.Post.computed.notJson.type: Expected the schema of a JSON value that is not recursive: Date cannot be represented in JSON Schema",
        "models.Post.computed.recursive.type: Expected the schema of a JSON value that is not recursive: Cycle detected: #/properties/children/items/<root>",
        "models.Post.computed.half: Expected both needs and compute, found only needs.",
        "models.Post.computed.late.compute: Expected a synchronous function.",
        "models.Post.readonly: Unknown field half; expected one of id, title, content.",
        "models.Post.searchable: Unknown text field half; expected one of title, content.",
        "models.Post.auth.fields.editor: Unknown field hlf. Did you mean half?",
      ]
    `);
  });

  it("reports every invalid default query option, and the fields that are hidden from everyone", () => {
    const findMany = {
      orderBy: [{ content: "asc" }, { titel: "up" }],
      select: { content: true },
      omit: { titel: true, id: 1 },
      take: 0,
      skip: 3,
    };
    const configs = { Post: { hidden: ["content"], query: { findMany, findOne: { select: {}, omit: {} } } } };
    const issues = (() => {
      try {
        checkModelConfigs(configs as never, models);
      } catch (error) {
        return (error as StartupError).issues.map(({ where, message }) => `${where}: ${message}`);
      }
    })();
    expect(issues).toMatchInlineSnapshot(`
      [
        "models.Post.query.findMany.omit.id: found 1 (a number), expected true or false.",
        "models.Post.query.findMany.orderBy.1.titel: found "up" (text), expected "asc" or "desc".",
        "models.Post.query.findMany.take: found 0 (a number), expected an integer of at least 1.",
        "models.Post.query.findMany.skip: Unknown key; expected one of: where, select, omit, orderBy, take.",
        "models.Post.query.findOne: select and omit cannot be combined.",
        "models.Post.query.findMany.orderBy: Unknown sort field content; expected one of id, title.",
        "models.Post.query.findMany.orderBy: Unknown sort field titel. Did you mean title?",
        "models.Post.query.findMany.omit: Unknown field titel. Did you mean title?",
        "models.Post.query.findMany.select: Unknown field or relation content; expected one of id, title.",
        "models.Post.query.findMany.select: Expected at least one visible field.",
        "models.Post.query.findOne.select: Expected at least one visible field.",
      ]
    `);
  });

  it("reports fields with the name of a filter keyword, unless they are hidden", () => {
    const withWord = readModels({
      format: 1,
      enums: [],
      models: [{ name: "Gate", fields: [id, text("NOT"), text("or")], keys }],
    });
    const issuesOf = (config: object) => {
      try {
        checkModelConfigs({ Gate: config }, withWord);
        return [];
      } catch (error) {
        return (error as StartupError).issues.map(({ where, message }) => `${where}: ${message}`);
      }
    };
    const message =
      "model Gate: The field NOT has the name of a filter keyword. Rename it (@map preserves its column), or hide it: /// @hidden in the schema, or models.Gate.hidden.";
    expect(issuesOf({})).toEqual([message]);
    expect(issuesOf({ hidden: ["or"] })).toEqual([message]);
    expect(issuesOf({ hidden: ["NOT"] })).toEqual([]);
  });

  it("reports every unknown field of a default filter, at any depth", () => {
    const issuesOf = (where: object, operation: "findMany" | "findOne" = "findMany") => {
      try {
        checkModelConfigs({ Project: { query: { [operation]: { where } } } } as never, recordModels);
        return [];
      } catch (error) {
        return (error as StartupError).issues.map(({ where: place, message }) => `${place}: ${message}`);
      }
    };
    const place = "models.Project.query.findMany.where";
    const company = `${place}: Unknown field of Company nme. Did you mean name?`;
    const task = `${place}: Unknown field of Task titel. Did you mean title?`;
    for (const where of [
      { company: { nme: "x" } },
      { company: { is: { nme: "x" } } },
      { company: { isNot: { AND: [{ nme: "x" }] } } },
      { OR: [{ title: "x" }, { NOT: { company: { nme: "x" } } }] },
      { tasks: { some: { project: { company: { nme: "x" } } } } },
    ])
      expect([where, issuesOf(where)]).toEqual([where, [company]]);
    for (const word of ["some", "every", "none"])
      expect(issuesOf({ tasks: { [word]: { titel: "x" } } })).toEqual([task]);
    expect(issuesOf({ tasks: { some: { titel: 1 } }, company: { nme: 1 } })).toEqual([task, company]);
    const listed = (word: string) => [
      `${place}: Unknown condition of the list Project.tasks ${word}; expected one of some, every, none.`,
    ];
    expect(issuesOf({ tasks: { title: "x" } })).toEqual(listed("title"));
    expect(issuesOf({ tasks: { is: { title: "x" } } })).toEqual(listed("is"));
    expect(issuesOf({ titel: "x" }, "findOne")).toEqual([
      "models.Project.query.findOne.where: Unknown field of Project titel. Did you mean title?",
    ]);
    for (const where of [
      { company: null, title: { contains: "x" } },
      { company: { name: "x" }, tasks: { none: { steps: { some: {} } } } },
      { AND: { company: { is: null } }, OR: [{ rank: 1 }] },
    ])
      expect([where, issuesOf(where)]).toEqual([where, []]);
  });

  it("rejects a key that two files of a module set", async () => {
    expect(
      await issuesOf({
        "post/post.model.js": `export default { hooks: { beforeFindOne: ${hook} }, router: ${hook} };`,
        "post/post.middlewares.js": `export const beforeFindOne = ${hook}; export const afterFindOne = ${hook};`,
        "post/post.router.js": `export default ${hook};`,
      }),
    ).toEqual([
      "module post: post.model exports beforeFindOne under hooks, and a separate file does too. Remove one of them.",
      "module post: post.model exports router under router, and a separate file does too. Remove one of them.",
    ]);
  });

  it("C12 classes in TypeScript have the types that their decorators read", async () => {
    const directory = await makeModules({
      "post/post.dtos.ts": `
        import "reflect-metadata";
        import { Type } from "class-transformer";
        import { IsInt, IsString, ValidateNested } from "class-validator";
        export class Place { @IsInt() line!: number; }
        export class CreatePostDto {
          @IsString() title!: string;
          @ValidateNested() @Type(() => Place) place!: Place;
        }
        export { CreatePostDto as create };`,
    });
    // In a Node of its own, where nothing but config-loader reads TypeScript.
    const packages = path.join(import.meta.dirname, "../..");
    const script = `
      const { loadModules } = await import(${JSON.stringify(path.join(packages, "config-loader/src/modules/load-modules.ts"))});
      const { makeValidator } = await import(${JSON.stringify(path.join(packages, "router/src/validation/make-validator.ts"))});
      const kinds = [{ name: "post", hooks: [], schemas: ["create"] }];
      const isSchema = (value) => typeof value === "function";
      const found = await loadModules({ directory: ${JSON.stringify(directory)}, kinds, isSchema });
      const { create } = found.get("post").schemas;
      const validate = makeValidator(create);
      const good = await validate({ title: "x", place: { line: 1 } }, "body");
      const bad = await validate({ title: 1, place: { line: "1" } }, "body");
      process.stdout.write(JSON.stringify([
        create.name,
        Reflect.getMetadata("design:type", create.prototype, "title") === String,
        Reflect.getMetadata("design:type", create.prototype, "place").name,
        good.valid, bad.issues.map(({ path }) => path),
      ]));`;
    const { stdout } = await promisify(execFile)(process.execPath, [
      "--conditions=servicekit-source",
      `--import=${path.join(packages, "config-loader/hooks/register.mjs")}`,
      "--input-type=module",
      "--eval",
      script,
    ]);
    expect(JSON.parse(stdout)).toEqual(["CreatePostDto", true, "Place", true, ["/title", "/place/line"]]);
  }, 30_000);
});

describe("mergeModelConfigs", () => {
  it("C38 merges the configuration of init over the modules: objects are merged, hooks of one name are replaced", () => {
    const [ours, theirs, other] = [() => 1, () => 2, () => 3];
    const merged = mergeModelConfigs(
      { Post: { hooks: { beforeFindOne: ours }, hidden: ["a"] } },
      { Post: { hooks: { beforeFindOne: theirs, afterFindOne: other }, hidden: ["b"], bulkItems: 2 }, MediaType: {} },
    );
    expect(merged).toEqual({
      Post: { hooks: { beforeFindOne: ours, afterFindOne: other }, hidden: ["a"], bulkItems: 2 },
      MediaType: {},
    });
  });
});
