/** The keys of a terminal. */
export interface Keyboard {
  /** Whether there is a terminal. */
  readonly isThere: boolean;
  /** Waits for one of these letters. */
  readKey(letters: string): Promise<string>;
  close(): void;
}

/**
 * Reads the keys of a terminal, if there is one.
 *
 * @param press called for every key that is not awaited, Ctrl+C as `q`
 */
export function openKeyboard(press: (letter: string) => void, input: NodeJS.ReadStream = process.stdin): Keyboard {
  if (input.isTTY !== true || process.stdout.isTTY !== true) {
    return { isThere: false, readKey: () => new Promise(() => {}), close: () => {} };
  }
  let waiting: { readonly letters: string; readonly resolve: (letter: string) => void } | undefined;
  const read = (text: string): void => {
    for (const sign of text.toLowerCase()) {
      const letter = sign === "\u0003" || sign === "\u0004" ? "q" : sign;
      if (waiting?.letters.includes(letter)) {
        const { resolve } = waiting;
        waiting = undefined;
        resolve(letter);
      } else press(letter);
    }
  };
  input.setRawMode(true);
  input.setEncoding("utf8").on("data", read).resume();
  return {
    isThere: true,
    readKey: (letters) =>
      new Promise((resolve) => {
        waiting = { letters, resolve };
      }),
    close() {
      input.off("data", read).pause();
      input.setRawMode(false);
    },
  };
}
