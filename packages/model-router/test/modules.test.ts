import { execFile } from "node:child_process";
import { symlink } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { StartError } from "@servicekit/errors";
import { readModels } from "@servicekit/orm";
import { describe, expect, it } from "vitest";
import { loadModules, logModuleLoading, type ModuleEvent, mergeModelConfigs } from "../src/index.js";
import { moduleLogLine } from "../src/modules/module-event.js";
import { makeModules } from "./module-folder.js";

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

const load = (directory: string, log?: (event: ModuleEvent) => void) =>
  loadModules(log === undefined ? { directory, models } : { directory, models, log });

/** The faults of a start, each as its place below the modules and its sentence. */
async function faultsOf(files: Readonly<Record<string, string>>): Promise<string[]> {
  const directory = await makeModules(files);
  const error: unknown = await load(directory).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(StartError);
  return (error as StartError).faults.map(({ where, message }) => `${where.replace(`${directory}/`, "")}: ${message}`);
}

const hook = "(request, response, next) => next()";

describe("C44 loadModules", () => {
  it("loads every kind of file of a model, of auth and of file-upload", async () => {
    const directory = await makeModules({
      "post/post.middlewares.ts": `
        import type { RequestHandler } from "express";
        export const beforeCreateOne: RequestHandler = ${hook};
        export const afterFindMany: RequestHandler[] = [${hook}, ${hook}];
        export const helper = 1;`,
      "post/post.model.mts": `export default { bulkItems: 5 as number, operations: { deleteMany: false } };`,
      "post/post.router.js": `import express from "express"; export default express.Router();`,
      "post/post.schemas.ts": `import { z } from "zod"; export const create = z.object({ title: z.string() });`,
      "media-type/media-type.model.cjs": `module.exports = { page: { max: 3 } };`,
      "auth/auth.middlewares.mjs": `export const afterLogin = ${hook};`,
      "auth/auth.schemas.ts": `import { z } from "zod"; export const signup = z.object({});`,
      "file-upload/file-upload.model.js": `export default { anything: true };`,
    });
    const { models: loaded, auth, fileUpload } = await load(directory);
    expect(Object.keys(loaded)).toEqual(["Post", "MediaType"]);
    expect(loaded.Post).toEqual({
      bulkItems: 5,
      operations: { deleteMany: false },
      hooks: { beforeCreateOne: expect.any(Function), afterFindMany: [expect.any(Function), expect.any(Function)] },
      router: expect.any(Function),
      schemas: { create: expect.objectContaining({ _zod: expect.anything() }) },
    });
    expect(loaded.MediaType).toEqual({ page: { max: 3 } });
    expect(auth).toEqual({ hooks: { afterLogin: expect.any(Function) }, schemas: { signup: expect.anything() } });
    expect(fileUpload).toEqual({ config: { anything: true } });
  });

  it("a folder that is not there has no modules", async () => {
    expect(await load("/nowhere/at/all")).toEqual({ models: {} });
  });

  it("reads CommonJS, compiled TypeScript too", async () => {
    const directory = await makeModules({
      "post/post.middlewares.cjs": `module.exports = Object.fromEntries([["beforeFindOne", ${hook}]]);`,
      "media-type/media-type.model.cjs": `exports.__esModule = true; exports.default = { bulkItems: 2 };`,
    });
    const { models: loaded } = await load(directory);
    expect(loaded).toEqual({
      Post: { hooks: { beforeFindOne: expect.any(Function) } },
      MediaType: { bulkItems: 2 },
    });
  });

  it("leaves alone what is clearly not its own", async () => {
    const broken = "this is no JavaScript";
    const directory = await makeModules({
      "index.ts": broken,
      "README.md": broken,
      "shared/clock.ts": broken,
      "port/index.ts": broken,
      "past/clock.ts": broken,
      "_drafts/post.model.ts": broken,
      "__tests__/post.model.ts": broken,
      "post/index.ts": broken,
      "post/post.ts": broken,
      "post/post.service.ts": broken,
      "post/post.types.ts": broken,
      "post/post.docs.ts": broken,
      "post/post.test.ts": broken,
      "post/post.model.test.ts": broken,
      "post/post.middlewares.spec.ts": broken,
      "post/post.schemas.d.ts": broken,
      "post/post.model.js.map": broken,
      "post/.post.model.ts": broken,
      "post/post.model.ts~": broken,
      "post/services/post.model.ts": broken,
      "post/README.md": broken,
      "post/post.model.json": broken,
    });
    expect(await load(directory)).toEqual({ models: { Post: {} } });
  });

  it("follows a link to a folder", async () => {
    const directory = await makeModules({ "media-type/media-type.model.js": "export default { bulkItems: 1 };" });
    const other = await makeModules({ "post/post.model.js": "export default { bulkItems: 7 };" });
    await symlink(path.join(other, "post"), path.join(directory, "post"));
    expect((await load(directory)).models.Post).toEqual({ bulkItems: 7 });
  });

  it("tells every misspelt folder, file and place at once, with the nearest name", async () => {
    const empty = "export default {};";
    expect(
      await faultsOf({
        "psot/x.ts": "",
        "Posts/x.ts": "",
        "mediaType/x.ts": "",
        "pots-office/pots-office.midlewares.ts": "",
        "comment/comment.model.ts": empty,
        "medai-type/medai-type.model.ts": empty,
        "authh/auth.middlewares.ts": "",
        "post.model.ts": empty,
        "post/psot.model.ts": empty,
        "post/post.midlewares.ts": "",
        "post/post.dto.ts": "",
        "post/post.routes.ts": "",
        "post/model.ts": empty,
        "file-upload/fileUpload.middlewares.ts": "",
      }),
    ).toEqual([
      "Posts: There is no model for the module Posts; did you mean post?",
      "authh: There is no model for the module authh; did you mean auth?",
      "comment: There is no model for the module comment; known are post, media-type, auth, file-upload.",
      "medai-type: There is no model for the module medai-type; did you mean media-type?",
      "mediaType: There is no model for the module mediaType; did you mean media-type?",
      "post.model.ts: This file stands beside the modules: put it into the folder post.",
      expect.stringContaining("pots-office: There is no model for the module pots-office"),
      "psot: There is no model for the module psot; did you mean post?",
      "post/model.ts: This file has no name; did you mean post.model.ts?",
      "post/post.dto.ts: There is no kind of file dto; did you mean post.dtos.ts?",
      "post/post.midlewares.ts: There is no kind of file midlewares; did you mean post.middlewares.ts?",
      "post/post.routes.ts: There is no kind of file routes; did you mean post.router.ts?",
      "post/psot.model.ts: The folder post holds a file of psot; did you mean post.model.ts?",
      "file-upload/fileUpload.middlewares.ts: The folder file-upload holds a file of fileUpload; did you mean file-upload.middlewares.ts?",
    ]);
  });

  it("tells every misspelt export and key, and every wrong type", async () => {
    expect(
      await faultsOf({
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
        "media-type/media-type.model.js": "export const bulkItems = 3;",
        "media-type/media-type.router.js": "export const router = 3;",
        "auth/auth.middlewares.js": `export const beforeLogn = ${hook};`,
        "file-upload/file-upload.schemas.js": "export const create = {};",
      }),
    ).toEqual([
      "post/post.middlewares.js (afterFindOne): Expected a function or a list of functions, found a list of 2.",
      "post/post.middlewares.js: There is no hook beforeCreatOne; did you mean beforeCreateOne?",
      expect.stringContaining("post/post.middlewares.js: There is no hook afterSaving"),
      "post/post.middlewares.js: A default export is not read here: export each hook by its name.",
      "post/post.model.js: Post: There is no key hiden; did you mean hidden?",
      "post/post.model.js: Post.hidden: There is no field titel; did you mean title?",
      expect.stringContaining("post/post.model.js: Post.operations: There is no operation findAll"),
      "post/post.model.js: Post.operations.createOne: Expected true or false, found 1.",
      "post/post.model.js: Post.bulkItems: Expected a whole number of at least 1, found 0.",
      "post/post.model.js: Post.searchable: There is no string field id; known are title, content.",
      "post/post.model.js: Post.auth: There is no operation or key findMny; did you mean findMany?",
      'post/post.model.js: Post.auth.createOne: Expected true, false, a list of roles, or an object with rule and where, found "admin".',
      "post/post.model.js: Post.auth.where: Expected a function from the request to a filter, true or false, found an object.",
      expect.stringContaining("post/post.model.js: Post.auth.fields.editor: There is no field x"),
      "post/post.model.js: Post.query.findMany: Expected an object of query options.",
      expect.stringContaining(
        "post/post.model.js: Post.uploads: There is no operation with a body for one row findOne",
      ),
      expect.stringContaining("post/post.model.js: Post.include: There is no key deep"),
      "post/post.model.js: Post.page: Expected an object by key, found a list of 0.",
      'post/post.model.js: Post.writable: Expected a list of names of fields, found "title".',
      "post/post.schemas.js (update): Expected a Zod schema or a class with class-validator decorators, found an object.",
      "post/post.schemas.js: There is no schema creat; did you mean create?",
      "media-type/media-type.model.js: Expected an object as the default export, found nothing.",
      "media-type/media-type.router.js: Expected a router as the default export, found nothing.",
      "auth/auth.middlewares.js: There is no hook beforeLogn; did you mean beforeLogin?",
      "file-upload/file-upload.schemas.js: The module file-upload takes no schemas.",
    ]);
  });

  it("shows a file that fails at its own line, and goes on to the others", async () => {
    const faults = await faultsOf({
      "post/post.model.ts": "interface A {\n  a: 1;\n}\nconst a: A | undefined = undefined;\nexport default a!.a;\n",
      "post/post.router.ts": 'import { gone } from "./gone.js";\nexport default gone;\n',
      "media-type/media-type.schemas.ts": "export const create = ;\n",
      "auth/auth.model.ts": "throw 'a text';\n",
    });
    expect(faults).toHaveLength(4);
    expect(faults[0]).toMatch(
      /^post\/post\.model\.ts: TypeError[\s\S]*post\.model\.ts:5:19\n5 \| export default a!\.a;/,
    );
    expect(faults[1]).toMatch(/^post\/post\.router\.ts: [\s\S]*gone[\s\S]*post\.router\.ts:1\n1 \| import/);
    expect(faults[2]).toMatch(/^media-type\/media-type\.schemas\.ts: [\s\S]*media-type\.schemas\.ts:1/);
    expect(faults[3]).toBe('auth/auth.model.ts: it threw "a text".');
  });

  it("refuses two files that say the same", async () => {
    expect(
      await faultsOf({
        "post/post.model.ts": "export default {};",
        "post/post.model.js": "export default {};",
        "media-type/media-type.dtos.js": "",
        "media-type/media-type.schemas.js": "",
        "auth/auth.middlewares.js": "",
      }),
    ).toEqual([
      "post/post.model.ts: post.model.js says the same; keep one of them.",
      "media-type/media-type.schemas.js: media-type.dtos.js says the same; keep one of them.",
    ]);
    expect(
      await faultsOf({
        "post/post.model.js": `export default { hooks: { beforeFindOne: ${hook} }, router: ${hook} };`,
        "post/post.middlewares.js": `export const beforeFindOne = ${hook}; export const afterFindOne = ${hook};`,
        "post/post.router.js": `export default ${hook};`,
      }),
    ).toEqual([
      "module post: post.model gives beforeFindOne under hooks, and a file of its own does too; keep one.",
      "module post: post.model gives router under router, and a file of its own does too; keep one.",
    ]);
  });

  it("C12 classes in TypeScript keep the types that their decorators see", async () => {
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
      const { loadModules } = await import(${JSON.stringify(path.join(packages, "model-router/src/index.ts"))});
      const { makeValidator } = await import(${JSON.stringify(path.join(packages, "router/src/index.ts"))});
      const models = new Map([["Post", { name: "Post", resource: "post", fields: [] }]]);
      const { models: { Post } } = await loadModules({ directory: ${JSON.stringify(directory)}, models });
      const { create } = Post.schemas;
      const validate = makeValidator(create);
      const good = await validate({ title: "x", place: { line: 1 } }, "body");
      const bad = await validate({ title: 1, place: { line: "1" } }, "body");
      process.stdout.write(JSON.stringify([
        create.name,
        Reflect.getMetadata("design:type", create.prototype, "title") === String,
        Reflect.getMetadata("design:type", create.prototype, "place").name,
        good.valid, bad.faults.map(({ path }) => path),
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

describe("C42 debugging.dynamicLoader", () => {
  const files = {
    "post/post.middlewares.js": `export const beforeFindOne = ${hook};`,
    "auth/auth.model.js": "export default {};",
  };
  const lines = async (settings: Parameters<typeof logModuleLoading>[0]): Promise<string[]> => {
    const directory = await makeModules(files);
    const written: string[] = [];
    await load(
      directory,
      logModuleLoading(settings, (line) => written.push(line)),
    );
    return written.map((line) => line.replaceAll(`${directory}/`, ""));
  };

  it("level 0 says nothing, 1 what was loaded, 2 what was looked for, 3 how long it took", async () => {
    const loaded = [
      "module post: middlewares loaded (beforeFindOne) from post/post.middlewares.js",
      "module auth: model loaded from auth/auth.model.js",
    ];
    expect(await lines(undefined)).toEqual([]);
    expect(await lines({ level: 0 })).toEqual([]);
    expect(await lines({ level: 1 })).toEqual(loaded);
    const more = await lines({ level: 2 });
    expect(more).toEqual(expect.arrayContaining(loaded));
    expect(more).toContain("module post: looked for at post, found");
    expect(more).toContain("module media-type: looked for at media-type, not there");
    expect(more).toContain("module post: router looked for at post/post.router.{ts,mts,js,mjs,cjs}, not there");
    expect((await lines({ level: 3 })).filter((line) => / in \d+\.\d ms$/.test(line))).toHaveLength(2);
  });

  it("filters by module and by component, in either spelling", async () => {
    expect(await lines({ level: 1, filters: { modules: ["Post"] } })).toHaveLength(1);
    expect(await lines({ level: 1, filters: { components: ["model"] } })).toEqual([
      "module auth: model loaded from auth/auth.model.js",
    ]);
    expect(await lines({ level: 2, filters: { modules: ["mediaType"], components: [] } })).toHaveLength(1);
    expect(await lines({ level: 3, filters: { modules: ["post"], components: ["model"] } })).toHaveLength(1);
    const searched = { kind: "searched", module: "file-upload", place: "x", isThere: true } as const;
    expect(moduleLogLine(searched, { level: 2, filters: { modules: ["FileUpload"] } })).toBeDefined();
  });
});

describe("mergeModelConfigs", () => {
  it("C38 lays what init gives over the modules: objects merge, hooks of one name are replaced", () => {
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
