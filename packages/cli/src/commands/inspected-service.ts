import type { Queues } from "@servicekit/jobs";
import type { OpenApiDocument } from "@servicekit/openapi";
import type { Database } from "@servicekit/prisma";

/** An assembled service, for commands. */
export interface InspectedService {
  readonly app: { readonly router: object };
  /** The full configuration; `file` is its source. */
  readonly config: {
    readonly file: string | undefined;
    readonly mcp?: object | undefined;
    readonly authentication?:
      | {
          readonly mode: string;
          readonly enabled: boolean;
          readonly login?: { readonly allowedUsernames: readonly string[]; readonly normalizeNames?: boolean };
        }
      | undefined;
    /** The documented keys of the configuration. */
    readonly explain: () => readonly ExplainedSetting[];
    /** The model configuration in code. */
    readonly modelRouter?: { readonly models: Readonly<Record<string, object>> };
  };
  readonly database: Database | undefined;
  /** The queues of its jobs; `undefined` without jobs. */
  readonly jobQueues?: Queues | undefined;
  /** Handles a request of the Fetch API in this process. */
  readonly fetch: (request: Request) => Promise<Response>;
  /** Returns the hash of a password, as users have it. */
  hashPassword(password: string): Promise<string>;
  /** Returns the OpenAPI document of the service. */
  openapi(): Promise<OpenApiDocument>;
  /** Releases the resources of the service. */
  close(): Promise<void>;
}

/** A documented key of the configuration. */
export interface ExplainedSetting {
  readonly key: string;
  readonly value: unknown;
  /** Where it was set; `undefined` for a default. */
  readonly source: string | undefined;
  /** The environment variable that can set it. */
  readonly variable: string | undefined;
  /** Whether the value must not be printed. */
  readonly isSecret: boolean;
}

/** The environment variables of a service. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** What the inspecting commands need of a service. */
export interface ProgramHost {
  readonly environment: Environment;
  /** Assembles the service without listening. */
  readonly create: (environment: Environment) => Promise<InspectedService>;
  /** Whether everything must be in a file, because there is no code. */
  readonly needsFile: boolean;
}

/** The result of a command: its output, and the exit code if not 0. */
export interface CommandResult {
  readonly text: string;
  readonly exitCode?: number;
}

/** The settings that a command needs besides those of an inspection. */
export interface CommandNeeds {
  /** Whether it verifies access tokens, which requires the secret. @default false */
  readonly verifiesTokens?: boolean;
  /** Whether it reads or changes rows: without `DATABASE_URL`, those of the development database. @default false */
  readonly usesDatabase?: boolean;
}

/** The action of a command on a service. */
export type WithService = (
  work: (service: InspectedService) => Promise<CommandResult>,
  needs?: CommandNeeds,
) => Promise<void>;
