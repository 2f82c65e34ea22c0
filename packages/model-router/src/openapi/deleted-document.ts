import type { DocumentObject } from "@servicekit/router";
import type { Operation } from "../resource/config/operation.js";
import { deletedParameters } from "../resource/query/deleted-parameters.js";
import type { Resource } from "../resource/resource.js";

/** The parameters about deleted rows of an operation (contract C101). */
export const deletedParameterDocuments = (
  operation: Operation | "aggregate",
  resource: Resource,
): readonly DocumentObject[] =>
  deletedParameters(operation, resource).map((name) =>
    name === "permanent"
      ? {
          name,
          in: "query",
          description: "`true` deletes the row permanently, also a deleted one. Requires the right to it.",
          schema: { type: "boolean" },
        }
      : {
          name,
          in: "query",
          description: deletedText(operation),
          schema: { type: "string", enum: ["only", "include", "exclude"] },
        },
  );

const deletedText = (operation: Operation | "aggregate"): string =>
  operation === "deleteMany"
    ? "Which rows the filters select, with `permanent=true`: `only` deleted ones, or `include` them. Requires the right to read them."
    : "`only` returns deleted rows, `include` all. Requires the right to read them.";
