/** How long clients and shared caches may reuse the responses of reads (contract C124). */
export interface ResponseCacheConfig {
  /** How long a response is fresh, in seconds. */
  readonly maxAge: number;
  /** How long after that a cache may return it while it requests a new one, in seconds. @default 0 */
  readonly staleWhileRevalidate?: number;
  /** Whether shared caches may store responses, such as a CDN; otherwise only browsers may. @default false */
  readonly public?: boolean;
}
