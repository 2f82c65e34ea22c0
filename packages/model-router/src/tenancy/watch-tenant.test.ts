import type { Caller } from "@servicekit/router";
import { expect, it } from "vitest";
import type { TenantConfig } from "./tenant-config.js";
import { watchTenant } from "./watch-tenant.js";

const callerWith = (user: Caller["user"], identifiedBy = "identify"): Caller =>
  Object.freeze({ id: "a", roles: [], isSuperUser: false, user: Object.freeze(user), identifiedBy });

/** The warnings for callers in their order. */
function warningsOf(of: TenantConfig["of"], ...callers: readonly Caller[]): readonly string[] {
  const warnings: string[] = [];
  const watched = watchTenant({ field: "companyId", of }, (message) => warnings.push(message));
  for (const caller of callers) expect(watched.of(caller)).toEqual(of(caller));
  return warnings;
}

it("C100 logs once for each issuer that tenant.of reads a field which the user does not have", () => {
  const of = ({ user }: Caller) => user.companyID;
  const [one, other] = [callerWith({ companyId: 1 }), callerWith({ company: 1 }, "https://issuer.example")];
  expect(warningsOf(of, one, one, other)).toEqual([
    "tenant.of reads caller.user.companyID, which this caller does not have, so it reaches no row. Did you mean companyId?",
    "tenant.of reads caller.user.companyID, which this caller does not have, so it reaches no row. Did you mean company?",
  ]);
});

it("C100 logs that tenant.of reads the field of the user as one of the caller", () => {
  const of = (caller: Caller) => (caller as unknown as { companyId: number }).companyId;
  expect(warningsOf(of, callerWith({ companyId: 1 }))).toEqual([
    "tenant.of reads caller.companyId, which this caller does not have, so it reaches no row. Did you mean caller.user.companyId?",
  ]);
});

it("C100 logs nothing for callers with a tenant, with null, and without any missing field", () => {
  const of = ({ user, keyId }: Caller) => (keyId === undefined ? user.companyId : undefined);
  expect(warningsOf(of, callerWith({ companyId: 1 }), callerWith({ companyId: null }))).toEqual([]);
  expect(warningsOf(of, callerWith({ companyId: undefined }))).toEqual([]);
  expect(warningsOf(({ user }) => user.tenant ?? user.companyId, callerWith({ companyId: 1 }))).toEqual([]);
});
