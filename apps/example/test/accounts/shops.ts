import service, { StartupError } from "@servicekit/service";
import {
  type AccountDatabase,
  type AccountShop,
  type AccountShopOptions,
  createAccountDatabase,
  startAccounts,
} from "./account-shop.js";

/** A shop with static accounts for a complete file, and others on its database for one test. */
export interface Shops {
  readonly database: AccountDatabase;
  readonly shop: AccountShop;
  open(options?: Partial<AccountShopOptions>): Promise<AccountShop>;
  closeOpened(): Promise<void>;
  close(): Promise<void>;
}

export async function startShops(): Promise<Shops> {
  const database = await createAccountDatabase();
  const shop = await startAccounts({ database, accounts: "static" });
  const opened: AccountShop[] = [];
  return {
    database,
    shop,
    open: async (options = {}) => {
      const made = await startAccounts({ database, accounts: "static", ...options });
      opened.push(made);
      return made;
    },
    closeOpened: async () => {
      for (const one of opened.splice(0)) await one.close();
    },
    close: async () => {
      await shop.close();
      await database.drop();
    },
  };
}

export const newUser = (username: string, more: object = {}) => ({
  username,
  email: `${username}@example.com`,
  ...more,
});

/** Why a service does not start. */
export async function startupIssue(
  database: AccountDatabase,
  config: Parameters<typeof service.create>[0],
  environment: Record<string, string> = {},
): Promise<string> {
  const error = await service
    .create(config, { directory: import.meta.dirname, environment: { DATABASE_URL: database.url, ...environment } })
    .then(
      async (made) => made.close(),
      (reason: unknown) => reason,
    );
  if (!(error instanceof StartupError)) throw new Error("It started.");
  return error.message;
}
