/** `harbour and pine`, hashed at the lowest cost. */
const hash = "$2b$04$87Sw9xr1/1PSaahran3.BOeigP2EFzo9LU1wz17PXIuy.ATxuBTu6";
export const password = "harbour and pine";

/** The callers: two tenants, a role, an auditor who may read deleted rows, a superuser, and an anonymous client. */
export const callers = ["anonymous", "mary", "nora", "edda", "vera", "root"] as const;
export type CallerName = (typeof callers)[number];

export const roles = ["MEMBER", "EDITOR", "AUDITOR"] as const;
export type Role = (typeof roles)[number];

interface User {
  readonly id: number;
  readonly role: Role;
  readonly tenantId: number;
  readonly isSuperUser?: boolean;
}

/** The users of the callers. */
export const users: Readonly<Record<Exclude<CallerName, "anonymous">, User>> = {
  root: { id: 1, role: "EDITOR", tenantId: 1, isSuperUser: true },
  mary: { id: 2, role: "MEMBER", tenantId: 1 },
  nora: { id: 3, role: "MEMBER", tenantId: 2 },
  edda: { id: 4, role: "EDITOR", tenantId: 1 },
  vera: { id: 5, role: "AUDITOR", tenantId: 1 },
};

export const userIds = Object.values(users).map(({ id }) => id);

/** The rows of the users. */
export const userRows = Object.entries(users).map(([username, user]) => ({ username, password: hash, ...user }));
