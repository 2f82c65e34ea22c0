import { readModels } from "@servicekit/prisma";
import { expect, it } from "vitest";
import { models as data } from "../../service/test/generated/webhooks/models.js";
import { readWebhookModels } from "../src/index.js";

const models = readModels(data);
const without = (name: string) => new Map([...models].filter(([one]) => one !== name));

it("C112 finds the models of webhooks", () => {
  expect(readWebhookModels(models)).toEqual({
    webhook: models.get("Webhook"),
    delivery: models.get("WebhookDelivery"),
  });
  expect(readWebhookModels(new Map())).toBeUndefined();
});

it("C112 reports a model of an earlier version, with the command for its migration", () => {
  const webhook = models.get("Webhook");
  if (webhook === undefined) throw new Error("no model");
  const fields = webhook.fields.filter(({ name }) => name !== "createdBy");
  const changed = { ...webhook, fields, fieldsByName: new Map(fields.map((field) => [field.name, field])) };
  expect(() => readWebhookModels(new Map(models).set("Webhook", changed as never))).toThrow(
    "model Webhook: requires a field createdBy, a String? without a length with /// @hidden (add it, then run npx service migrate new limit_webhooks)",
  );
});

it("C112 requires longer columns for encrypted secrets", () => {
  const webhook = models.get("Webhook");
  if (webhook === undefined) throw new Error("no model");
  const nativeType = { name: "VarChar", args: ["50"] };
  const fields = webhook.fields.map((field) => (field.name === "currentSecret" ? { ...field, nativeType } : field));
  const changed = { ...webhook, fields, fieldsByName: new Map(fields.map((field) => [field.name, field])) };
  const given = new Map(models).set("Webhook", changed as never);
  expect(readWebhookModels(given)).toBeDefined();
  expect(() => readWebhookModels(given, true)).toThrow("a String? of at least 148 characters with /// @hidden");
});

it("C112 reports a missing model", () => {
  expect(() => readWebhookModels(without("WebhookDelivery"))).toThrow("a model WebhookDelivery too");
  expect(() => readWebhookModels(without("Webhook"))).toThrow("a model Webhook too");
});

it("C112 reports missing fields, and a secret that is not hidden", () => {
  const webhook = models.get("Webhook");
  if (webhook === undefined) throw new Error("no model");
  const fields = webhook.fields
    .filter(({ name }) => name !== "failingSince")
    .map((field) => (field.name === "currentSecret" ? { ...field, annotations: {} } : field));
  const changed = { ...webhook, fields, fieldsByName: new Map(fields.map((field) => [field.name, field])) };
  expect(() => readWebhookModels(new Map(models).set("Webhook", changed as never))).toThrow(
    /currentSecret[\s\S]*@hidden[\s\S]*failingSince|failingSince[\s\S]*currentSecret/,
  );
});

it("C100 C112 allows required fields of the application, such as a tenant, in the model of webhooks only", () => {
  const withRequired = (name: string) => {
    const model = models.get(name);
    const firm = models.get("Webhook")?.fieldsByName.get("firmId");
    if (model === undefined || firm === undefined) throw new Error("no model");
    const fields = [...model.fields.filter(({ name }) => name !== "firmId"), { ...firm, isRequired: true }];
    const changed = { ...model, fields, fieldsByName: new Map(fields.map((field) => [field.name, field])) };
    return new Map(models).set(name, changed as never);
  };
  expect(readWebhookModels(withRequired("Webhook"))).toBeDefined();
  expect(() => readWebhookModels(withRequired("WebhookDelivery"))).toThrow("WebhookDelivery.firmId");
});
