import { capabilitiesOf, type Provider } from "@servicekit/prisma/internal";
import { providerOf } from "../generate/provider-of.js";
import type { Project } from "../project/project.js";

/** The text of a model for PostgreSQL in the form that the database of a project can store. */
export function forProvider(project: Project, text: string): string {
  const { nativeTypes, listColumns } = capabilitiesOf(knownProvider(project));
  const typed = nativeTypes ? text : text.replaceAll(/ +@db\.\w+(\([^)]*\))?/g, "");
  return listColumns ? typed : typed.replaceAll(/(\w+ +)String\[\]/g, '$1Json @default("[]")');
}

/** The provider of a project, which `service generate` has accepted. */
export const knownProvider = (project: Project): Provider => providerOf(project) ?? "postgresql";
