// Evaluated once for a process: the module cache is what remembers that the hooks are there.
import { register } from "node:module";

process.setSourceMapsEnabled(true);
register("./typescript.mjs", import.meta.url);
