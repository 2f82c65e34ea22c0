import type { DocumentObject } from "@servicekit/router";
import type { Resource } from "../resource/resource.js";
import { responseProperties } from "./field-document.js";

/** The JSON Schema of a recorded state of a row, as responses contain it. */
export const stateDocument = ({ shown }: Resource): DocumentObject => ({
  type: "object",
  description: "A row before or after a change, with the fields that were recorded.",
  properties: responseProperties(shown.findOne.fields.values()),
  additionalProperties: false,
});
