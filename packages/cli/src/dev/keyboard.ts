/** The keys of a terminal, one at a time. */
export interface Keyboard {
  /** Whether there is somebody who could press one. */
  readonly isThere: boolean;
  /** Waits for one of these letters. */
  ask(letters: string): Promise<string>;
  close(): void;
}

/**
 * Listens to the keys of a terminal; where there is none, nobody presses any.
 *
 * @param press told of every key that nobody waits for, Ctrl+C as `q`
 */
export function openKeyboard(press: (letter: string) => void, input: NodeJS.ReadStream = process.stdin): Keyboard {
  if (input.isTTY !== true || process.stdout.isTTY !== true) {
    return { isThere: false, ask: () => new Promise(() => {}), close: () => {} };
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
    ask: (letters) =>
      new Promise((resolve) => {
        waiting = { letters, resolve };
      }),
    close() {
      input.off("data", read).pause();
      input.setRawMode(false);
    },
  };
}
