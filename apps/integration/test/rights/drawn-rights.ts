import type { ModelConfig } from "@servicekit/model-router";
import { makeRandom } from "../../../../scripts/test/random-draw.js";
import type { Random } from "../schemas/valid-values.js";
import type { WorkshopRights } from "./workshop.js";
import { ownRows, type Rights, ruled, workshopConfigs } from "./workshop-models.js";

const roles = ["viewer", "editor", "admin", "owner"];

/** The owner paths of a row, by model. */
const owned: Readonly<Record<string, (ownerId: unknown) => Record<string, unknown>>> = {
  User: (id) => ({ id }),
  Profile: (userId) => ({ userId }),
  Membership: (userId) => ({ userId }),
  Project: (ownerId) => ({ ownerId }),
  ...Object.fromEntries(
    ["Task", "Detail", "Invoice", "Sprint", "Entry", "Document", "Asset"].map((name) => [
      name,
      (ownerId: unknown) => ({ project: { is: { ownerId } } }),
    ]),
  ),
};

/**
 * Fields that a role need not see; keys and foreign keys remain, because the requests of the test identify rows by
 * them.
 */
const plain: Readonly<Record<string, readonly string[]>> = {
  ...{ Profile: ["bio"], Team: ["budget"], Membership: ["level"], Task: ["state", "points"], Tag: ["colour"] },
  ...{ Detail: ["text"], Invoice: ["amount", "isPaid"], Sprint: ["goal"], Asset: ["label"] },
};

/** The required fields of {@link plain} in a new row. */
const required: ReadonlySet<string> = new Set(["bio", "text", "amount", "goal", "label"]);

/** Draws access rules: roles, disabled operations, row rules, hidden fields and settable relations for each seed. */
export function drawRights(seed: number): WorkshopRights {
  const random = makeRandom(seed);
  const names = [...new Set([...Object.keys(workshopConfigs), "Sprint", "Stamp"])];
  const rights = Object.fromEntries(names.map((name) => [name, drawRoles(random, name)]));
  const models = Object.fromEntries(
    names.map((name): [string, ModelConfig] => {
      const { auth: _, writable = [], operations: __, ...config } = workshopConfigs[name] ?? {};
      const rowsOf = owned[name];
      const auth = {
        ...ruled(rights[name]),
        ...(rowsOf !== undefined && random() < 0.5 ? { where: ownRows(rowsOf) } : {}),
      };
      const hidden = (plain[name] ?? []).filter(() => random() < 0.25);
      const isClosed = random() < 0.15;
      const fields = {
        ...(hidden.length > 0 && random() < 0.5 ? { hidden } : {}),
        ...(hidden.length > 0 && random() < 0.5 ? { readonly: hidden } : {}),
      };
      const opened = writable.filter(() => random() < 0.8);
      const closed = isClosed ? drawClosed(random) : {};
      // A create that no body can fill must be disabled.
      const isUnfilled = Object.values(fields)
        .flat()
        .some((field) => required.has(field));
      const operations = isUnfilled ? { ...closed, createOne: false, createMany: false } : closed;
      return [name, { ...config, auth, ...fields, writable: opened, operations }];
    }),
  );
  return { models, rights };
}

function drawRoles(random: Random, name: string): Rights {
  const isOpen = random() < 0.1 && name !== "User";
  const draw = (share: number): false | readonly string[] =>
    isOpen && random() < 0.7 ? false : roles.filter(() => random() < share);
  return { View: draw(0.7), Create: draw(0.5), Update: draw(0.6), Delete: draw(0.4) };
}

/** Single and bulk operations equally, because bulk ones must not bypass the single ones. */
function drawClosed(random: Random): ModelConfig["operations"] & object {
  const pairs = [
    ["findMany", "findOne"],
    ["createOne", "createMany"],
    ["updateOne", "updateMany"],
    ["deleteOne", "deleteMany"],
  ] as const;
  const isWhole = random() < 0.4;
  const closed = pairs.filter(() => isWhole || random() < 0.5).flat();
  return Object.fromEntries(closed.map((operation) => [operation, false]));
}
