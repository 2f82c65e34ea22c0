declare module "s3rver" {
  /** An S3-compatible store for tests; the package has no types. */
  export default class S3rver {
    constructor(options: Readonly<Record<string, unknown>>);
    /** Koa's. */
    readonly middleware: ((
      context: { readonly method: string; readonly query: Readonly<Record<string, unknown>>; status: number },
      next: () => Promise<void>,
    ) => Promise<void>)[];
    run(): Promise<import("node:net").AddressInfo>;
    close(): Promise<void>;
  }
}
