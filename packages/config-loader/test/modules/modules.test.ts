import { symlink } from "node:fs/promises";
import path from "node:path";
import { StartupError } from "@servicekit/core";
import { describe, expect, it } from "vitest";
import { modulesOf } from "../../../../scripts/test/module-folder.js";
import { loadModules } from "../../src/modules/load-modules.js";
import { logModuleLoading, type ModuleEvent, moduleLogLine } from "../../src/modules/module-event.js";
import { type ModuleKind } from "../../src/modules/module-kind.js";

const makeModules = modulesOf(path.dirname(import.meta.dirname));

const around = (...acts: readonly string[]): string[] => acts.flatMap((act) => [`before${act}`, `after${act}`]);
const ofModel = {
  hooks: around("FindMany", "CreateOne", "CreateMany", "UpdateMany", "DeleteMany", "FindOne", "UpdateOne", "DeleteOne"),
  schemas: ["create", "update", "query"],
};
const kinds: readonly ModuleKind[] = [
  {
    ...ofModel,
    name: "post",
    checkConfig: (where, config, issues) => {
      for (const key of Object.keys(config)) issues.unknown(where, "key", key, []);
    },
  },
  { ...ofModel, name: "media-type" },
  { name: "auth", hooks: around("Login", "Logout"), schemas: ["login", "signup"] },
  { name: "file-upload", hooks: around("UploadFile"), schemas: [] },
];
const isSchema = (value: unknown): value is object => typeof value === "object" && value !== null && "_zod" in value;

const load = async (directory: string, log?: (event: ModuleEvent) => void) => {
  const checked = { ...kinds[0], checkConfig: () => undefined } as ModuleKind;
  const given = [checked, ...kinds.slice(1)];
  const more = log === undefined ? {} : { log };
  return Object.fromEntries(await loadModules({ directory, kinds: given, isSchema, ...more }));
};

/** The issues of a startup, each as its place below the modules and its sentence. */
async function issuesOf(files: Readonly<Record<string, string>>): Promise<string[]> {
  const directory = await makeModules(files);
  const error: unknown = await loadModules({ directory, kinds, isSchema }).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(StartupError);
  return (error as StartupError).issues.map(
    ({ where, message }) => `${where.replace(`${directory}/`, "")}: ${message}`,
  );
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
    const loaded = await load(directory);
    expect(Object.keys(loaded)).toEqual(["post", "media-type", "auth", "file-upload"]);
    expect(loaded.post).toEqual({
      config: { bulkItems: 5, operations: { deleteMany: false } },
      hooks: { beforeCreateOne: expect.any(Function), afterFindMany: [expect.any(Function), expect.any(Function)] },
      router: expect.any(Function),
      schemas: { create: expect.objectContaining({ _zod: expect.anything() }) },
    });
    expect(loaded["media-type"]).toEqual({ config: { page: { max: 3 } } });
    expect(loaded.auth).toEqual({
      hooks: { afterLogin: expect.any(Function) },
      schemas: { signup: expect.anything() },
    });
    expect(loaded["file-upload"]).toEqual({ config: { anything: true } });
  });

  it("a folder that does not exist has no modules", async () => {
    expect(await load("/nowhere/at/all")).toEqual({});
  });

  it("treats a missing folder as no modules", async () => {
    const directory = await makeModules({
      "post/post.middlewares.cjs": `module.exports = Object.fromEntries([["beforeFindOne", ${hook}]]);`,
      "media-type/media-type.model.cjs": `exports.__esModule = true; exports.default = { bulkItems: 2 };`,
    });
    expect(await load(directory)).toEqual({
      post: { hooks: { beforeFindOne: expect.any(Function) } },
      "media-type": { config: { bulkItems: 2 } },
    });
  });

  it("ignores files that are clearly not components", async () => {
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
    expect(await load(directory)).toEqual({ post: {} });
  });

  it("follows a symbolic link to a folder", async () => {
    const directory = await makeModules({ "media-type/media-type.model.js": "export default { bulkItems: 1 };" });
    const other = await makeModules({ "post/post.model.js": "export default { bulkItems: 7 };" });
    await symlink(path.join(other, "post"), path.join(directory, "post"));
    expect((await load(directory)).post).toEqual({ config: { bulkItems: 7 } });
  });

  it("reports every misspelled folder, file and place together, with the nearest name", async () => {
    const empty = "export default {};";
    expect(
      await issuesOf({
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
      "Posts: Unknown model for the module Posts. Did you mean post?",
      "authh: Unknown model for the module authh. Did you mean auth?",
      "comment: Unknown model for the module comment; expected one of post, media-type, auth, file-upload.",
      "medai-type: Unknown model for the module medai-type. Did you mean media-type?",
      "mediaType: Unknown model for the module mediaType. Did you mean media-type?",
      "post.model.ts: This file is next to the modules: move it into the folder post.",
      expect.stringContaining("pots-office: Unknown model for the module pots-office"),
      "psot: Unknown model for the module psot. Did you mean post?",
      "post/model.ts: This file has no name. Did you mean post.model.ts?",
      "post/post.dto.ts: Unknown kind of file dto. Did you mean post.dtos.ts?",
      "post/post.midlewares.ts: Unknown kind of file midlewares. Did you mean post.middlewares.ts?",
      "post/post.routes.ts: Unknown kind of file routes. Did you mean post.router.ts?",
      "post/psot.model.ts: The folder post contains a file of psot. Did you mean post.model.ts?",
      "file-upload/fileUpload.middlewares.ts: The folder file-upload contains a file of fileUpload. Did you mean file-upload.middlewares.ts?",
    ]);
  });

  it("reports every misspelled export and every wrong type", async () => {
    expect(
      await issuesOf({
        "post/post.middlewares.js": `
          export const beforeCreatOne = ${hook};
          export const afterSaving = ${hook};
          export const afterFindOne = [${hook}, 3];
          export default ${hook};`,
        "post/post.model.js": "export default { hiden: [] };",
        "post/post.schemas.js": `export const creat = {}; export const update = { title: "string" };`,
        "media-type/media-type.model.js": "export const bulkItems = 3;",
        "media-type/media-type.router.js": "export const router = 3;",
        "auth/auth.middlewares.js": `export const beforeLogn = ${hook};`,
        "file-upload/file-upload.schemas.js": "export const create = {};",
      }),
    ).toEqual([
      "post/post.middlewares.js (afterFindOne): Expected a function or a list of functions, found a list of 2.",
      "post/post.middlewares.js: Unknown hook beforeCreatOne. Did you mean beforeCreateOne?",
      expect.stringContaining("post/post.middlewares.js: Unknown hook afterSaving"),
      "post/post.middlewares.js: Default exports are not read here: export each hook by its name.",
      "post/post.model.js: Unknown key hiden.",
      "post/post.schemas.js (update): Expected a Zod schema or a class with class-validator decorators, found an object.",
      "post/post.schemas.js: Unknown schema creat. Did you mean create?",
      "media-type/media-type.model.js: Expected an object as the default export, found nothing.",
      "media-type/media-type.router.js: Expected a router as the default export, found nothing.",
      "auth/auth.middlewares.js: Unknown hook beforeLogn. Did you mean beforeLogin?",
      "file-upload/file-upload.schemas.js: The module file-upload does not support schemas.",
    ]);
  });

  it("reports a file that fails with its position, and continues with the others", async () => {
    const issues = await issuesOf({
      "post/post.model.ts": "interface A {\n  a: 1;\n}\nconst a: A | undefined = undefined;\nexport default a!.a;\n",
      "post/post.router.ts": 'import { gone } from "./gone.js";\nexport default gone;\n',
      "media-type/media-type.schemas.ts": "export const create = ;\n",
      "auth/auth.model.ts": "throw 'a text';\n",
    });
    expect(issues).toHaveLength(4);
    expect(issues[0]).toMatch(
      /^post\/post\.model\.ts: TypeError[\s\S]*post\.model\.ts:5:19\n5 \| export default a!\.a;/,
    );
    expect(issues[1]).toMatch(/^post\/post\.router\.ts: [\s\S]*gone[\s\S]*post\.router\.ts:1\n1 \| import/);
    expect(issues[2]).toMatch(/^media-type\/media-type\.schemas\.ts: [\s\S]*media-type\.schemas\.ts:1/);
    expect(issues[3]).toBe('auth/auth.model.ts: it threw "a text".');
  });

  it("rejects two files that declare the same", async () => {
    expect(
      await issuesOf({
        "post/post.model.ts": "export default {};",
        "post/post.model.js": "export default {};",
        "media-type/media-type.dtos.js": "",
        "media-type/media-type.schemas.js": "",
        "auth/auth.middlewares.js": "",
      }),
    ).toEqual([
      "post/post.model.ts: post.model.js declares the same. Remove one of them.",
      "media-type/media-type.schemas.js: media-type.dtos.js declares the same. Remove one of them.",
    ]);
  });
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

  it("logs nothing at level 0, loaded files at 1, searched files at 2, durations at 3", async () => {
    const loaded = [
      "module post: middlewares loaded (beforeFindOne) from post/post.middlewares.js",
      "module auth: model loaded from auth/auth.model.js",
    ];
    expect(await lines(undefined)).toEqual([]);
    expect(await lines({ level: 0 })).toEqual([]);
    expect(await lines({ level: 1 })).toEqual(loaded);
    const more = await lines({ level: 2 });
    expect(more).toEqual(expect.arrayContaining(loaded));
    expect(more).toContain("module post: searched at post, found");
    expect(more).toContain("module media-type: searched at media-type, not found");
    expect(more).toContain("module post: router searched at post/post.router.{ts,mts,js,mjs,cjs}, not found");
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
