/** Where Prisma's WebAssembly stores the message of a panic, under this exact name, before it fails with another error. */
interface PanicRegistry {
  set_message(message: string): void;
}

const place = globalThis as { PRISMA_WASM_PANIC_REGISTRY?: PanicRegistry | undefined };

/** The storage of the engines that run at present. */
let own: (PanicRegistry & { users: number; message: string | undefined }) | undefined;
/** That of another package in this process, such as Prisma Client. */
let other: PanicRegistry | undefined;

/** Runs `work` with storage for panic messages, which is removed, and that of another package restored, with its last user. */
export async function withPanicRegistry<T>(work: (panicMessage: () => string | undefined) => Promise<T>): Promise<T> {
  if (own === undefined) {
    other = place.PRISMA_WASM_PANIC_REGISTRY;
    own = {
      users: 0,
      message: undefined,
      set_message(message) {
        this.message = message;
      },
    };
    place.PRISMA_WASM_PANIC_REGISTRY = own;
  }
  const registry = own;
  registry.users += 1;
  try {
    return await work(() => registry.message);
  } finally {
    registry.users -= 1;
    if (registry.users === 0) {
      own = undefined;
      // A package that was imported meanwhile has set its own.
      if (place.PRISMA_WASM_PANIC_REGISTRY === registry) restore();
    }
  }
}

function restore(): void {
  if (other === undefined) delete place.PRISMA_WASM_PANIC_REGISTRY;
  else place.PRISMA_WASM_PANIC_REGISTRY = other;
}
