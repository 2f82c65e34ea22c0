import { defineConfig, type ServiceInitConfig, ServiceRouter, typedModels } from "../src/index.js";

// The mistakes of mistakes.test.ts that the compiler detects: each is one line.
const start = (_config: ServiceInitConfig): void => undefined;
const router = ServiceRouter();
const { defineModel } = typedModels({
  format: 1,
  enums: [{ name: "Role", values: [{ name: "EDITOR" }] }],
  models: [
    {
      name: "User",
      fields: [
        { name: "id", kind: "scalar", type: "Int" },
        { name: "role", kind: "enum", type: "Role" },
      ],
      keys: [],
    },
    { name: "Album", fields: [{ name: "id", kind: "scalar", type: "Int" }], keys: [] },
    {
      name: "Picture",
      fields: [
        { name: "title", kind: "scalar", type: "String" },
        { name: "position", kind: "scalar", type: "Int" },
        { name: "album", kind: "relation", type: "Album", relation: { name: "AlbumToPicture" } },
      ],
      keys: [],
    },
  ],
});

// @ts-expect-error a misspelt key
start({ prot: 80 });
// @ts-expect-error a misspelt block
start({ authentification: {} });
// @ts-expect-error a misspelt key of a block
start({ timeouts: { reqest: 1 } });
// @ts-expect-error a key of the wrong case
start({ apiDocs: { mode: "orm" } });
// @ts-expect-error the name that a route has for a folder, in the global block
start({ fileUpload: { uploadDir: "files" } });
// @ts-expect-error a key in the wrong block
start({ jwt: {} });
// @ts-expect-error a port that is text
start({ port: "eighty" });
// @ts-expect-error seconds in place of milliseconds as text
start({ timeouts: { request: "30s" } });
// @ts-expect-error a misspelt mode
start({ authentication: { mode: "statik" } });
// @ts-expect-error a misspelt resolver
start({ validation: { resolver: "zodd" } });
// @ts-expect-error a misspelt middleware to replace
start({ middlewares: { replace: { rateLimt: () => undefined } } });
// @ts-expect-error a value that is not a router
start({ use: [{ get: () => undefined }] });
// @ts-expect-error a list instead of an object
start({ cors: ["https://a.example"] });
// @ts-expect-error a misspelt key of a file
defineConfig({ prot: 1 });
// @ts-expect-error a wrong name of a model
defineModel("Pictures", {});
// @ts-expect-error a misspelt key of a model
defineModel("Picture", { hiden: ["title"] });
// @ts-expect-error a wrong name of a field
defineModel("Picture", { hidden: ["titel"] });
// @ts-expect-error a wrong name of a readonly field
defineModel("Picture", { readonly: ["positon"] });
// @ts-expect-error a wrong name of a searchable field
defineModel("Picture", { searchable: ["titl"] });
// @ts-expect-error a wrong name of a writable relation
defineModel("Picture", { writable: ["albun"] });
// @ts-expect-error a wrong direction
defineModel("Picture", { query: { findMany: { orderBy: { title: "up" } } } });
// @ts-expect-error a wrong name of an operation
defineModel("Picture", { operations: { findAll: false } });
// @ts-expect-error a wrong name of an operation in rights
defineModel("Picture", { auth: { creatOne: true } });
// @ts-expect-error a wrong name of a field in rights
defineModel("Picture", { auth: { fields: { EDITOR: ["titel"] } } });
// @ts-expect-error a wrong name of a role in rights
defineModel("Picture", { auth: { findMany: ["EDITR"] } });
// @ts-expect-error a wrong name of a role in fields
defineModel("Picture", { auth: { fields: { EDITR: ["title"] } } });
// @ts-expect-error a misspelt field of a row rule
defineModel("Picture", { auth: { where: () => ({ titel: "x" }) } });
// @ts-expect-error a wrong name of a hook
defineModel("Picture", { hooks: { beforeCreate: () => undefined } });
// @ts-expect-error a hook that is not a function
defineModel("Picture", { hooks: { beforeCreateOne: "check" } });
// @ts-expect-error a wrong name of a schema
defineModel("Picture", { schemas: { creat: {} } });
// @ts-expect-error a value that is not a schema
defineModel("Picture", { schemas: { create: { title: "text" } } });
// @ts-expect-error a misspelt key of a route
router.get({ path: "/a", authentification: true }, () => undefined);
// @ts-expect-error a misspelt part of validation
router.post({ path: "/a", validation: { bdy: {} } }, () => undefined);
// @ts-expect-error a value that is not a schema of a route
router.post({ path: "/a", validation: { body: { name: "text" } } }, () => undefined);
// @ts-expect-error a misspelt parser
router.post({ path: "/a", bodyParser: [{ parser: "jsn" }] }, () => undefined);
// @ts-expect-error a misspelt type of uploads
router.post({ path: "/a", experimental: { uploads: { type: "singel", field: "f" } } }, () => undefined);
// @ts-expect-error a misspelt key of uploads
router.post({ path: "/a", experimental: { uploads: { type: "single", feild: "f" } } }, () => undefined);
// @ts-expect-error uploads without a form field
router.post({ path: "/a", experimental: { uploads: { type: "single" } } }, () => undefined);
// @ts-expect-error a number of files for a single one
router.post({ path: "/a", experimental: { uploads: { type: "single", field: "f", maxCount: 2 } } }, () => undefined);
