import type { OpenApiDocument } from "@servicekit/openapi";
import type { Database } from "@servicekit/prisma";

/** A service that was put together, as far as commands look at it. */
export interface InspectedService {
  readonly app: { readonly router: object };
  /** The whole configuration; `file` is the one that it was read from. */
  readonly config: {
    readonly file: string | undefined;
    readonly mcp?: object | undefined;
    readonly authentication?:
      | {
          readonly mode: string;
          readonly enabled: boolean;
          readonly login?: { readonly allowedUsernames: readonly string[] };
        }
      | undefined;
    /** What the code says of models. */
    readonly modelRouter?: { readonly models: Readonly<Record<string, object>> };
  };
  readonly database: Database | undefined;
  /** Handles a request of the Fetch API in this process. */
  readonly fetch: (request: Request) => Promise<Response>;
  /** Returns the hash of a password, as users have it. */
  hashPassword(password: string): Promise<string>;
  /** Returns the OpenAPI document of the service. */
  openapi(): Promise<OpenApiDocument>;
  /** Releases the resources of the service. */
  close(): Promise<void>;
}

/** The variables of a service. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** What the commands that look into a service need of it. */
export interface ProgramHost {
  readonly environment: Environment;
  /** Puts the service together, without listening. */
  readonly create: (environment: Environment) => Promise<InspectedService>;
  /** Whether everything must stand in a file, for there is no code. */
  readonly needsFile: boolean;
}

/** What a command gives: what it says, and what the program ends with where that is not 0. */
export interface Said {
  readonly text: string;
  readonly exitCode?: number;
}

/** Does what a command does with a service. */
export type WithService = (work: (service: InspectedService) => Promise<Said>) => Promise<void>;
