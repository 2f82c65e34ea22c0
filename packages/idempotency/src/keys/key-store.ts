/** A stored response. */
export interface StoredResponse {
  readonly status: number;
  /** The headers that the route has set, without cookies. */
  readonly headers: Readonly<Record<string, number | string | readonly string[]>>;
  /** Text, or bytes in base64; `undefined` for a response above the size limit. */
  readonly body?: { readonly text: string } | { readonly base64: string };
}

/** The key of a request. */
export interface KeyedRequest {
  /** A hash of the key and its owner. */
  readonly id: string;
  /** A hash of the request and of the caller's permissions. */
  readonly fingerprint: string;
}

/** The claim of a running request: one at a time, until the lease expires. */
export interface Claim extends KeyedRequest {
  /** A new one for each claim. */
  readonly holder: string;
}

/** The state of a key in a store. */
export type Claimed =
  | { readonly state: "claimed"; readonly claim: Claim }
  | { readonly state: "running"; readonly fingerprint: string }
  | { readonly state: "completed"; readonly fingerprint: string; readonly response: StoredResponse };

/** Stores the used keys, their running requests and their responses. Every call is atomic. */
export interface KeyStore {
  /** Claims a new or expired key; otherwise returns its state. */
  claim(request: KeyedRequest): Promise<Claimed>;
  /** Stores the response and replaces an earlier one. @returns whether the claim was still valid */
  complete(claim: Claim, response: StoredResponse): Promise<boolean>;
  /** Releases a claim without a response, so that the request can be retried immediately. */
  release(claim: Claim): Promise<void>;
}

/** The durations of a store, in milliseconds. */
export interface KeyTimes {
  /** How long a claim is considered running. @default 60000 */
  readonly leaseMs?: number;
  /** How long a response is replayed. @default 86400000 */
  readonly retentionMs?: number;
}

/** The durations of a store, with their defaults. */
export const readKeyTimes = ({ leaseMs = 60_000, retentionMs = 24 * 3_600_000 }: KeyTimes): Required<KeyTimes> => ({
  leaseMs,
  retentionMs,
});
