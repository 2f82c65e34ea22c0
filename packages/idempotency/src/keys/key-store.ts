/** What is kept of an answer. */
export interface KeptAnswer {
  readonly status: number;
  /** Those that the route itself has set, without cookies. */
  readonly headers: Readonly<Record<string, number | string | readonly string[]>>;
  /** Text, or bytes in base64; `undefined` for an answer that was longer than what is kept. */
  readonly body?: { readonly text: string } | { readonly base64: string };
}

/** A request that may be repeated, as it is looked for. */
export interface KeyedRequest {
  /** A hash of the key and of whose it is. */
  readonly id: string;
  /** A hash of what is asked for, and with which rights. */
  readonly fingerprint: string;
}

/** Who carries a request out: one at a time, until the lease is over. */
export interface Claim extends KeyedRequest {
  /** Another one for each time. */
  readonly holder: string;
}

/** What a store knows of a key. */
export type Claimed =
  | { readonly state: "claimed"; readonly claim: Claim }
  | { readonly state: "running"; readonly fingerprint: string }
  | { readonly state: "answered"; readonly fingerprint: string; readonly answer: KeptAnswer };

/** Keeps which keys were used, by whom they are carried out, and what was answered. Every call is atomic. */
export interface KeyStore {
  /** Claims a key that is new, or whose time is over; tells otherwise what is known of it. */
  claim(request: KeyedRequest): Promise<Claimed>;
  /** Keeps the answer, in the place of an earlier one. @returns whether the claim still stood */
  complete(claim: Claim, answer: KeptAnswer): Promise<boolean>;
  /** Gives up a claim without an answer, so that the request can be sent again at once. */
  release(claim: Claim): Promise<void>;
}

/** How long something is kept, in milliseconds. */
export interface KeyTimes {
  /** For how long whoever has claimed a key is believed to be at work. @default 60000 */
  readonly leaseMs?: number;
  /** For how long an answer is replayed. @default 86400000 */
  readonly keptMs?: number;
}

/** The times of a store, with their defaults. */
export const readKeyTimes = ({ leaseMs = 60_000, keptMs = 24 * 3_600_000 }: KeyTimes): Required<KeyTimes> => ({
  leaseMs,
  keptMs,
});
