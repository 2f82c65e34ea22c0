import { createRequire } from "node:module";

/** Whether an optional package is installed beside this one. */
export function isInstalled(name: string): boolean {
  try {
    createRequire(import.meta.url).resolve(name);
    return true;
  } catch (error) {
    return (error as { code?: unknown }).code === "ERR_PACKAGE_PATH_NOT_EXPORTED";
  }
}
