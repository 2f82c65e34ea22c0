/** Returns a function that writes a text when it is called, and returns the stored one while it is stored. */
export type ShareText = (write: () => string) => () => string;

const defaultCharacters = 8 * 1024 * 1024;

/** Creates {@link ShareText}: streams share the texts of events, of which only the latest are stored. */
export function makeSharedTexts(maxCharacters = defaultCharacters): ShareText {
  /** In the order in which they were written. */
  const stored = new Set<{ text: string | undefined }>();
  let characters = 0;
  return (write) => {
    const entry: { text: string | undefined } = { text: undefined };
    return () => {
      if (entry.text !== undefined) return entry.text;
      const text = write();
      entry.text = text;
      stored.add(entry);
      characters += text.length;
      for (const oldest of stored) {
        if (characters <= maxCharacters) break;
        stored.delete(oldest);
        characters -= oldest.text?.length ?? 0;
        oldest.text = undefined;
      }
      return text;
    };
  };
}
