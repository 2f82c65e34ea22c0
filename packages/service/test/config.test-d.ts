import { expectTypeOf } from "vitest";
import {
  type ApiDocsConfig,
  type AuthConfig,
  defineConfig,
  type FileUploadConfig,
  type ServiceConfig,
  type ServiceInitConfig,
  type ServiceSettings,
  service,
} from "../src/index.js";

// C52: a file's form is an init form, too.
expectTypeOf<ServiceConfig>().toExtend<ServiceInitConfig>();
expectTypeOf(service.init).parameter(0).toEqualTypeOf<ServiceInitConfig | undefined>();

expectTypeOf<ServiceConfig["authentication"]>().toEqualTypeOf<AuthConfig | undefined>();
expectTypeOf<ServiceConfig["apidocs"]>().toEqualTypeOf<ApiDocsConfig | undefined>();
expectTypeOf<ServiceInitConfig["fileUpload"]>().toEqualTypeOf<FileUploadConfig | undefined>();
expectTypeOf<ServiceSettings["modulesDirectory"]>().toEqualTypeOf<
  Readonly<{ readonly path: string; readonly isConfigured: boolean }>
>();

defineConfig({
  authentication: { mode: "static", jwt: { cookie: { sameSite: "lax" } } },
  fileUpload: { serverStatic: { maxAge: "1d" }, restrictions: { images: { supportedFilesRegex: /png/ } } },
  apidocs: { mode: "orm", options: { definition: { info: { title: "Shop" } }, deepLinking: true, filter: true } },
  request: { parameters: { allowDangerousOrmQueryOptions: false } },
  modulesDirectory: "src/parts",
  limits: { body: "2mb" },
});

// @ts-expect-error mode is required in its block (C25)
defineConfig({ authentication: { enabled: true } });
// @ts-expect-error mode is required in its block
defineConfig({ apidocs: { strict: true } });
// @ts-expect-error the name of the init form
defineConfig({ fileUpload: { serverStaticOptions: {} } });
// @ts-expect-error there is no such category
defineConfig({ fileUpload: { restrictions: { pictures: {} } } });
// @ts-expect-error there is no such key
defineConfig({ request: { allowDangerousOrmQueryOptions: true } });

({ fileUpload: { serverStaticOptions: { etag: false } } }) satisfies ServiceInitConfig;
