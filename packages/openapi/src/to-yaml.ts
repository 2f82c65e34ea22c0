import { stringify } from "yaml";

/** A document as YAML. */
export const toYaml = (document: object): string => stringify(document, { aliasDuplicateObjects: false });
