import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import type * as schemaEngine from "@prisma/schema-engine-wasm/schema_engine_bg";

/** Prisma's schema engine as WebAssembly: the code behind `prisma migrate`, without a downloaded binary. */
export type SchemaEngineModule = typeof schemaEngine;

/** The types of WebAssembly are only in the DOM library. */
interface WebAssemblyApi {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (
    module: object,
    imports: Readonly<Record<string, unknown>>,
  ) => { readonly exports: Readonly<Record<string, unknown>> };
}

/** Loads the engine at its first use, which takes about 0.2 s. */
export async function loadSchemaEngine(): Promise<SchemaEngineModule> {
  const engine = await import("@prisma/schema-engine-wasm/schema_engine_bg");
  if (isLoaded(engine)) return engine;
  const { Module, Instance } = (globalThis as unknown as { WebAssembly: WebAssemblyApi }).WebAssembly;
  const folder = path.dirname(createRequire(import.meta.url).resolve("@prisma/schema-engine-wasm"));
  const module = new Module(fs.readFileSync(path.join(folder, "schema_engine_bg.wasm")));
  const { exports } = new Instance(module, { "./schema_engine_bg.js": engine });
  engine.__wbg_set_wasm(exports);
  const start = exports.__wbindgen_start;
  if (typeof start === "function") start();
  return engine;
}

function isLoaded(engine: SchemaEngineModule): boolean {
  try {
    return engine.version() !== "";
  } catch {
    return false;
  }
}
