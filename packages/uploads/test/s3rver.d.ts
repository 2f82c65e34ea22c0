declare module "s3rver" {
  /** An S3-compatible store for tests; the package has no types. */
  export default class S3rver {
    constructor(options: Readonly<Record<string, unknown>>);
    run(): Promise<import("node:net").AddressInfo>;
    close(): Promise<void>;
  }
}
