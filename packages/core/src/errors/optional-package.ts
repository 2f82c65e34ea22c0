import { StartError } from "./start-error.js";

/** Packages that a project installs only for what it uses. */
export interface OptionalPackages {
  readonly names: readonly string[];
  /** What needs them, as the subject of a sentence, such as "Changing images". */
  readonly purpose: string;
  /** Whether only development needs them: then they belong among the development dependencies. */
  readonly development?: boolean;
}

/**
 * Whether a package is installed for a module.
 *
 * @param importer the `import.meta.url` of the module: what is installed for one package is not always there for another
 */
export function isInstalled(name: string, importer: string): boolean {
  try {
    // Not imported: a page that only reads errors would have to do without Node.
    process.getBuiltinModule("node:module").createRequire(importer).resolve(name);
    return true;
  } catch (error) {
    // It is there, and is for `import` alone.
    return (error as { code?: unknown }).code === "ERR_PACKAGE_PATH_NOT_EXPORTED";
  }
}

/** The sentence that tells which packages are missing for what, with the command that installs them. */
export function missingPackages({ names, purpose, development = false }: OptionalPackages): string {
  const verb = names.length === 1 ? "is" : "are";
  const command = `npm install ${development ? "--save-dev " : ""}${names.join(" ")}`;
  return `${purpose} needs ${names.join(" and ")}, which ${verb} not installed: ${command}`;
}

/**
 * Catches the failure of an import, and translates it where the package is not installed; another failure stays as it is:
 * `await import("sharp").catch(whenMissing(where, packages))`. In this form bundlers leave an absent package out.
 *
 * @param where the place of the fault, such as a configuration key
 * @throws {StartError} that names the command
 */
export function whenMissing(where: string, packages: OptionalPackages): (error: unknown) => never {
  return (error) => {
    const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
    const named = packages.names.some((name) => String(message).includes(`'${name}'`));
    const missing = code === "ERR_MODULE_NOT_FOUND" || code === "MODULE_NOT_FOUND";
    if (missing && named) throw new StartError([{ where, message: missingPackages(packages) }]);
    throw error;
  };
}
