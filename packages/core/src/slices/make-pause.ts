/** Maximum duration of a slice, in milliseconds. */
const sliceMs = 10;

/**
 * Creates a function for the steps of long work, which calls it after each step: once a slice has lasted ten milliseconds,
 * it returns a promise of the next one, which starts when other requests have been handled.
 */
export function makePause(): () => Promise<void> | undefined {
  let began = performance.now();
  const next = async (): Promise<void> => {
    await new Promise((resolve) => setImmediate(resolve));
    began = performance.now();
  };
  return () => (performance.now() - began < sliceMs ? undefined : next());
}
