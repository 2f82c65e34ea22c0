import { afterEach, describe, expect, it, vi } from "vitest";
import { loadSettings } from "../../test/load-settings.js";
import { alone, makeStarter } from "../../test/start.js";
import { type ServiceInitConfig, ServiceRouter } from "../index.js";
import { openDocs } from "./open-docs.js";

const { create, closeAll } = makeStarter();
afterEach(closeAll);

interface Documented {
  readonly paths: Readonly<
    Record<string, { readonly get?: { readonly responses: Readonly<Record<string, { readonly $ref?: string }>> } }>
  >;
  readonly components: { readonly responses: Readonly<Record<string, object>> };
}

describe("C47 the documented errors of a route", () => {
  /** The codes of the responses of a route. */
  async function codesOf(path: string, config: ServiceInitConfig = {}): Promise<readonly string[]> {
    const router = ServiceRouter();
    router.get({ path: "/plain" }, () => undefined);
    router.get({ path: "/limited", rateLimit: { limit: 1, windowMs: 1_000 } }, () => undefined);
    const { openapi } = await create({ use: [router], ...config });
    const { paths, components } = (await openapi()) as unknown as Documented;
    const { responses = {} } = paths[path]?.get ?? {};
    const text = JSON.stringify(
      Object.values(responses).map(
        ({ $ref = "" }) => components.responses[$ref.replace("#/components/responses/", "")],
      ),
    );
    return ["MalformedQuery", "TooManyRequests", "GatewayTimeout"].filter((code) => text.includes(code));
  }

  it("contain those of rate limits where one applies", async () => {
    const off = { middlewares: { rateLimit: false } } as const;
    expect(await codesOf("/plain")).toContain("TooManyRequests");
    expect(await codesOf("/plain", off)).not.toContain("TooManyRequests");
    expect(await codesOf("/limited", off)).toContain("TooManyRequests");
    expect(await codesOf("/api")).toContain("TooManyRequests");
    expect(await codesOf("/api/health/live")).not.toContain("TooManyRequests");
  });

  it("contain those of the time limit, and of queries where they are parsed", async () => {
    expect(await codesOf("/plain")).toEqual(["MalformedQuery", "TooManyRequests", "GatewayTimeout"]);
    expect(await codesOf("/api")).toEqual(["TooManyRequests", "GatewayTimeout"]);
    expect(await codesOf("/api/health/ready")).toEqual(["GatewayTimeout"]);
  });
});

it.each([
  ["static", "superusers"],
  ["dynamic", "superusers and users with the permission View of api-docs"],
] as const)(
  "C47 in production with %s accounts the log names who may read the documentation",
  async (mode, readers) => {
    const settings = await loadSettings(
      {
        apidocs: { mode: "orm", enableAfterBuild: true },
        authentication: { mode, jwt: { secret: "kG6x0Zc4oPq9TfB2nVw7LsYd1RjHuM5e" } },
      },
      { ...alone, environment: { NODE_ENV: "production" } },
    );
    const info = vi.fn();
    await openDocs({ settings, auth: { router: () => undefined }, logger: { info } } as never);
    expect(info.mock.calls).toEqual([
      [
        `The API documentation at /api/api-docs is open to ${readers}. To open it, set apidocs.auth to a list of roles, true (signed-in users) or false (everyone).`,
      ],
    ]);
  },
);
