// Evaluated once per process: the module cache records that the hooks are registered.
import { register } from "node:module";

process.setSourceMapsEnabled(true);
register("./typescript.mjs", import.meta.url);
