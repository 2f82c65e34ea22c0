/** Where the engine's code stores the message of a panic, under this exact name, before it fails with another error. */
interface PanicRegistry {
  users: number;
  message: string | undefined;
  set_message(message: string): void;
}

/** Runs `work` with storage for panic messages, which is removed with its last user. */
export async function withPanicRegistry<T>(work: (panicMessage: () => string | undefined) => Promise<T>): Promise<T> {
  const place = globalThis as { PRISMA_WASM_PANIC_REGISTRY?: PanicRegistry };
  place.PRISMA_WASM_PANIC_REGISTRY ??= {
    users: 0,
    message: undefined,
    set_message(message) {
      this.message = message;
    },
  };
  const registry = place.PRISMA_WASM_PANIC_REGISTRY;
  registry.users += 1;
  try {
    return await work(() => registry.message);
  } finally {
    registry.users -= 1;
    if (registry.users === 0) delete place.PRISMA_WASM_PANIC_REGISTRY;
  }
}
