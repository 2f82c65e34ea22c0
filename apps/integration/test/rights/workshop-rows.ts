import type { Rights } from "./workshop-models.js";

/** `harbour and pine`, hashed at the lowest cost. */
const hash = "$2b$04$87Sw9xr1/1PSaahran3.BOeigP2EFzo9LU1wz17PXIuy.ATxuBTu6";
export const password = "harbour and pine";

/** The callers; all but `anonymous` are users of that name. */
export const callers = ["anonymous", "vera", "edda", "adam", "olga", "root"] as const;
export type CallerName = (typeof callers)[number];

/** The tenants of the callers in a workshop with tenants; `root` is a superuser. */
export const tenantOf: Readonly<Partial<Record<CallerName, number>>> = { vera: 1, edda: 2, adam: 1, olga: 1 };

/**
 * Divides the rows among two tenants; many reference rows of the other one. Both parts of the key of a membership have
 * its tenant, because an error names each part that is absent.
 */
export const divideRows = `
UPDATE "User" SET "tenantId" = 2 WHERE username = 'edda';
UPDATE "Membership" SET "tenantId" = 2 WHERE "userId" = 3;
${[
  "Profile",
  "Team",
  "Project",
  "Sprint",
  "Task",
  "Tag",
  "Detail",
  "Invoice",
  "Stamp",
  "Notice",
  "Entry",
  "Document",
  "Asset",
]
  .map((name) => `UPDATE "${name}" SET "tenantId" = 2 WHERE id % 2 = 0;`)
  .join("\n")}`;

const roles = ["viewer", "editor", "admin", "owner"];
const users = ["root viewer", "vera viewer", "edda editor", "adam admin", "olga owner", "ben owner"];

/** The rows of the workshop: some related to Olga's rows, some to Ben's, some to none. */
export function workshopRows(rights: Readonly<Record<string, Rights>>): string {
  const permissions = Object.entries(rights).flatMap(([model, byAction]) =>
    Object.entries(byAction).flatMap(([action, names]) =>
      names === false
        ? []
        : (names as readonly string[]).map(
            (name) => `('${model.toLowerCase()}', '${action}', ${roles.indexOf(name) + 1})`,
          ),
    ),
  );
  return `
INSERT INTO "User" (username, password, email, role, "isSuperUser") VALUES
  ${users
    .map((user) => user.split(" ") as [string, string])
    .map(([name, role]) => `('${name}', '${hash}', '${name}@x.example', '${role}', ${name === "root"})`)
    .join(", ")};
INSERT INTO "AuthRole" (name) VALUES ${roles.map((name) => `('${name}')`).join(", ")};
INSERT INTO "AuthPermission" (resource, action, "roleId") VALUES ${["('none', 'View', 1)", ...permissions].join(", ")};
INSERT INTO "_AuthRoleToUser" ("A", "B") VALUES
  ${users.map((user, index) => `(${roles.indexOf(user.split(" ")[1] ?? "") + 1}, ${index + 1})`).join(", ")};
INSERT INTO "Profile" (bio, "userId") VALUES ('of olga', 5), ('of ben', 6), ('of edda', 3);
INSERT INTO "Team" (name, "parentId") VALUES ('Alpha', NULL), ('Beta', 1), ('Gamma', NULL);
INSERT INTO "Membership" ("teamId", "userId") VALUES (1, 5), (1, 6), (2, 3);
INSERT INTO "Project" (name, "ownerId", "teamId") VALUES ('Ours', 5, 1), ('Theirs', 6, 2), ('Nobodys', NULL, NULL), ('Ours too', 5, 2);
INSERT INTO "Sprint" (goal, "projectId") VALUES ('finish ours', 1), ('finish theirs', 2), ('free', NULL);
INSERT INTO "Task" (title, note, "projectId", "assigneeId", "sprintId") VALUES
  ('saw', 'quietly', 1, 5, 1), ('plane', NULL, 1, NULL, NULL), ('glue', 'slowly', 2, 6, 2), ('paint', NULL, 3, NULL, NULL);
INSERT INTO "Tag" (name) VALUES ('red'), ('blue'), ('green');
INSERT INTO "_ProjectToTag" ("A", "B") VALUES (1, 1), (1, 2), (2, 1), (3, 3);
INSERT INTO "Detail" (text, "projectId") VALUES ('ours', 1), ('theirs', 2), ('free', NULL);
INSERT INTO "Invoice" (number, amount, "projectId") VALUES ('A1', 10, 1), ('B1', 20, 2), ('C1', 30, 4);
INSERT INTO "Stamp" (code, "projectId") VALUES ('ours', 1), ('theirs', 2), ('free', NULL);
INSERT INTO "Notice" (title, "tagId") VALUES ('ON RED', 1), ('ON BLUE', 2), ('FREE', NULL);
INSERT INTO "Entry" (text, "projectId") VALUES ('ours', 1), ('theirs', 2), ('free', NULL);
INSERT INTO "Document" (title, "isPublished", "projectId") VALUES
  ('out ours', true, 1), ('kept ours', false, 1), ('out theirs', true, 2), ('kept free', false, NULL);
INSERT INTO "Asset" (label, "projectId") VALUES ('ours', 1), ('theirs', 2), ('free', NULL);
`;
}
