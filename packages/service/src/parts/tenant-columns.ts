import type { StartupIssue } from "@servicekit/core";
import type { TenantConfig } from "@servicekit/model-router";
import { findTenantModels } from "@servicekit/model-router/internal";
import type { Database, ModelColumn, Models } from "@servicekit/prisma";
import { ormErrors } from "@servicekit/prisma/internal";

/** Compares the columns of tenants with the database (contract C148). */
export interface TenantCheck {
  /** The issues of text columns that do not separate all tenants; the database is queried until it has responded once. */
  issues(database: Database): Promise<readonly StartupIssue[]>;
  /**
   * Checks the columns before the first use of the rule, also in hosts that listen themselves, and if the database was not
   * available at the start. `undefined` after a check without issues.
   *
   * @throws {HttpError} 500 if a column does not separate the tenants
   */
  beforeRule(): Promise<void> | undefined;
  /** Sets the database of {@link beforeRule}. */
  use(database: Database): void;
}

/** Creates the check; without tenants it passes. */
export function makeTenantCheck(tenant: TenantConfig | undefined): TenantCheck {
  let database: Database | undefined;
  let isExact = tenant === undefined;
  let running: Promise<readonly StartupIssue[]> | undefined;

  const find = async (queried: Database, config: TenantConfig): Promise<readonly StartupIssue[]> => {
    const columns = textColumns(queried.models, config);
    const texts = columns.length === 0 ? [] : await queried.inexactTexts(columns);
    isExact = texts.length === 0;
    return texts.map(({ model, field, reason, fix }) => ({
      where: "tenant.field",
      message: `${model.name}.${field.name} has ${reason}, in which different texts are equal, so that tenants such as "ab" and "AB" would reach each other's rows. ${fix}`,
    }));
  };
  const issues = (queried: Database): Promise<readonly StartupIssue[]> => {
    if (tenant === undefined || isExact) return Promise.resolve([]);
    running ??= find(queried, tenant).finally(() => {
      running = undefined;
    });
    return running;
  };
  return {
    issues,
    beforeRule() {
      if (isExact || database === undefined) return undefined;
      return issues(database).then(([issue]) => {
        if (issue !== undefined) throw ormErrors.SchemaMismatch(undefined, { cause: new Error(issue.message) });
      });
    },
    use(opened) {
      database = opened;
    },
  };
}

/** The columns with the tenant of a row that contain text. */
function textColumns(models: Models, tenant: TenantConfig): readonly ModelColumn[] {
  return [...findTenantModels(models, tenant).fields].flatMap(([name, fieldName]) => {
    const model = models.get(name);
    const field = model?.fieldsByName.get(fieldName);
    return model !== undefined && field?.kind === "scalar" && field.type === "String" ? [{ model, field }] : [];
  });
}
