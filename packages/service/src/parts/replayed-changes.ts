import type { ChangeReader } from "@servicekit/changes";
import type { OpenDatabase } from "./database-types.js";

/**
 * A reader of changes that replicas have replayed: a client that reads a row after its event, webhook or purge gets the changed
 * row from any of them.
 */
export function replayedChanges(reader: ChangeReader, { replicas }: Pick<OpenDatabase, "replicas">): ChangeReader {
  if (replicas === undefined) return reader;
  return {
    ...reader,
    read: async (...query) => {
      const changes = await reader.read(...query);
      if (changes.length > 0) await replicas.replayed();
      return changes;
    },
  };
}
