import { expect, it, vi } from "vitest";
import { loadSettings } from "../../test/load-settings.js";
import { alone } from "../../test/start.js";
import { openDocs } from "./open-docs.js";

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
