import type { ModelConfig } from "@servicekit/model-router";
import type { Model, Models } from "@servicekit/prisma";
import type { ServiceInitConfig } from "@servicekit/service";
import type { TestedProvider } from "../../../../scripts/test/provider-database.js";
import type { Draw } from "../../../../scripts/test/random-draw.js";
import type { DrawnFeature } from "./cases.js";
import { drawnModels } from "./fixtures.js";
import { modelFeatures } from "./model-features.js";
import { serviceFeatures } from "./service-features.js";

/** What a record may depend on. */
export interface FeatureContext {
  readonly model: Model;
  readonly models: Models;
  /** The drawn value of a feature of a model. */
  featureOf(key: string, model: string): unknown;
}

/** A feature of a model that cases configure. To add one, add its record to `modelFeatures`. */
export interface ModelFeature {
  readonly key: string;
  /** How often a model has it. */
  readonly share: number;
  /** @default all */
  readonly providers?: readonly TestedProvider[];
  /** Draws a JSON value; `undefined` for a model that cannot have the feature. */
  draw(draw: Draw, model: Model, models: Models): unknown;
  /** Adds the feature to the configuration, which contains the features of the records before. */
  apply(config: ModelConfig, value: never, context: FeatureContext): ModelConfig;
}

/** A feature of the whole service. To add one, add its record to `serviceFeatures`. */
export interface ServiceFeature {
  readonly key: string;
  readonly share: number;
  /** @default all */
  readonly providers?: readonly TestedProvider[];
  draw(draw: Draw): unknown;
  apply(config: ServiceInitConfig, value: never): ServiceInitConfig;
}

const supports = (feature: { readonly providers?: readonly TestedProvider[] }, provider: TestedProvider): boolean =>
  feature.providers?.includes(provider) ?? true;

/**
 * Draws the features of a case.
 *
 * @param isRequired the keys of features that an invariant needs in every model that can have them
 */
export function drawFeatures(
  draw: Draw,
  provider: TestedProvider,
  models: Models,
  isRequired: ReadonlySet<string> = new Set(),
): readonly DrawnFeature[] {
  const ofService = serviceFeatures.flatMap((feature): DrawnFeature[] =>
    supports(feature, provider) && (isRequired.has(feature.key) || draw.chance(feature.share))
      ? [{ key: feature.key, value: feature.draw(draw) }]
      : [],
  );
  const ofModels = drawnModels(models).flatMap((model) =>
    modelFeatures.flatMap((feature): DrawnFeature[] => {
      if (!supports(feature, provider) || !(isRequired.has(feature.key) || draw.chance(feature.share))) return [];
      const value = feature.draw(draw, model, models);
      return value === undefined ? [] : [{ key: feature.key, model: model.name, value }];
    }),
  );
  return [...ofService, ...ofModels];
}

/** The drawn value of a feature; `undefined` without it. */
export const featureValue = (features: readonly DrawnFeature[], key: string, model?: string): unknown =>
  features.find((feature) => feature.key === key && feature.model === model)?.value;

/** Adds the features of a case to a configuration. */
export function configure(
  base: ServiceInitConfig,
  features: readonly DrawnFeature[],
  models: Models,
): ServiceInitConfig {
  const featureOf = (key: string, model: string): unknown => featureValue(features, key, model);
  const configs = drawnModels(models).map((model): readonly [string, ModelConfig] => {
    const configuration = modelFeatures.reduce<ModelConfig>((config, feature) => {
      const value = featureOf(feature.key, model.name);
      return value === undefined ? config : feature.apply(config, value as never, { model, models, featureOf });
    }, {});
    return [model.name, configuration];
  });
  return serviceFeatures.reduce<ServiceInitConfig>(
    (config, feature) => {
      const value = featureValue(features, feature.key);
      return value === undefined ? config : feature.apply(config, value as never);
    },
    { ...base, models: Object.fromEntries(configs) },
  );
}
