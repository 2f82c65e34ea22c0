import { StartupError } from "./start-error.js";

/** Packages that a project installs only for what it uses. */
export interface OptionalPackages {
  readonly names: readonly string[];
  /** The feature that requires them, as the subject of a sentence, such as "Resizing images". */
  readonly purpose: string;
  /** Whether only development requires them, so that they belong in the development dependencies. */
  readonly development?: boolean;
}

/**
 * Returns whether a package is installed for a module.
 *
 * @param importer the `import.meta.url` of the module, because packages may be installed for one package and not for
 * another
 */
export function isInstalled(name: string, importer: string): boolean {
  try {
    // Not imported statically, so that pages which only read errors do not need Node.
    process.getBuiltinModule("node:module").createRequire(importer).resolve(name);
    return true;
  } catch (error) {
    // It exists, but only for `import`.
    return (error as { code?: unknown }).code === "ERR_PACKAGE_PATH_NOT_EXPORTED";
  }
}

/** Returns the sentence that lists the missing packages, their purpose and the command that installs them. */
export function missingPackages({ names, purpose, development = false }: OptionalPackages): string {
  const listed = [names.slice(0, -1).join(", "), ...names.slice(-1)].filter(Boolean).join(" and ");
  const verb = names.length === 1 ? "is" : "are";
  const command = `npm install ${development ? "--save-dev " : ""}${names.join(" ")}`;
  return `${purpose} needs ${listed}, which ${verb} not installed: ${command}`;
}

/**
 * Translates a failed import if the package is not installed, and rethrows any other failure: `await
 * import("sharp").catch(whenMissing(where, packages))`. Bundlers leave out a missing package in this form.
 *
 * @param where the place of the error, such as a configuration key
 * @throws {StartupError} that contains the install command
 */
export function whenMissing(where: string, packages: OptionalPackages): (error: unknown) => never {
  return (error) => {
    const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
    const named = packages.names.some((name) => String(message).includes(`'${name}'`));
    const missing = code === "ERR_MODULE_NOT_FOUND" || code === "MODULE_NOT_FOUND";
    if (missing && named) throw new StartupError([{ where, message: missingPackages(packages) }]);
    throw error;
  };
}
