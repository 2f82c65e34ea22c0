import fs from "node:fs";
import path from "node:path";
import { Converter, PageEvent } from "typedoc";

const packages = path.join(import.meta.dirname, "../../packages");
const names = fs.readdirSync(packages);

/** The import names of all public entry points, by their source file below `packages`. `.vitepress/pages.ts` has them too. */
const entryPoints = new Map(
  names.flatMap((name) => {
    const { exports } = JSON.parse(fs.readFileSync(path.join(packages, name, "package.json"), "utf8"));
    return Object.entries(exports).flatMap(([entry, { "servicekit-source": source }]) =>
      entry === "./internal" || source === undefined
        ? []
        : [[path.posix.join(name, source), path.posix.join("@servicekit", name, entry)]],
    );
  }),
);

/** Names each module as it is imported. TypeDoc names it after its file. */
function nameModules({ converter }) {
  converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const [file, name] of entryPoints) {
      const module = project.children?.find((child) => child.name === file.replace(/(\/index)?\.ts$/, ""));
      if (module === undefined) throw new Error(`TypeDoc has no module of ${file}.`);
      module.name = name;
    }
  });
}

/** The Markdown plugin counts an anchor for the call signatures of an interface, but writes no heading for it. */
function fixAnchors({ renderer }) {
  renderer.on(PageEvent.END, (page) => {
    page.contents = page.contents.replaceAll("#servicerouter-2", "#servicerouter-1");
  });
}

/** @type {Partial<import("typedoc").TypeDocOptions> & Partial<import("typedoc-plugin-markdown").PluginOptions>} */
export default {
  plugin: ["typedoc-plugin-markdown", nameModules, fixAnchors],
  entryPoints: [...entryPoints.keys()].map((file) => path.join(packages, file)),
  tsconfig: "tsconfig.api.json",
  out: "api",
  name: "API",
  router: "module",
  readme: "none",
  excludeExternals: true,
  disableSources: true,
  hidePageHeader: true,
  hideBreadcrumbs: true,
  useCodeBlocks: true,
  parametersFormat: "table",
  interfacePropertiesFormat: "table",
  classPropertiesFormat: "table",
  typeAliasPropertiesFormat: "table",
  typeDeclarationFormat: "table",
  tableColumnSettings: { hideInherited: true, hideModifiers: true, hideOverrides: true },
  // The build fails if an exported symbol or a method has no docstring, or if a link of a docstring has no target.
  validation: { notExported: false, invalidLink: true, notDocumented: true },
  treatValidationWarningsAsErrors: true,
  // Functions in Zod schemas; the interfaces of their options document them.
  intentionallyNotDocumented: [
    "@servicekit/auth/settings.authConfigSchema.__type.identify",
    "@servicekit/auth/settings.authConfigSchema.__type.issuers.__type.user",
    "@servicekit/router/settings.validationOptionsSchemas.__type.zod.__type.error",
    "@servicekit/uploads/settings.fileUploadSchema.__type.serverStatic.__type.setHeaders",
    "@servicekit/uploads/settings.fileUploadSchema.__type.serverStaticOptions.__type.setHeaders",
  ],
  packagesRequiringDocumentation: names.map((name) => `@servicekit/${name}`),
  requiredToBeDocumented: ["Enum", "Variable", "Function", "Class", "Interface", "TypeAlias"],
};
