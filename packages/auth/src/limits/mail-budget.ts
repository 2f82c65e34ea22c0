import { type CountsOptions, countKey, makeCounts } from "./make-counts.js";

/** Keeps a mailbox from being flooded. */
export interface MailBudget {
  /** Whether one more mail of a kind may go to a user at an address; a mail that may is counted. */
  allows(kind: string, userId: string, address: string): Promise<boolean>;
}

/** How many mails of a kind a user gets in a window, and an address. */
const mostMails = 5;
const windowMs = 60 * 60_000;

/** Makes the budget of one service: each kind counts for itself, so that none uses up another's. */
export function makeMailBudget(counts: CountsOptions): MailBudget {
  const [ofUser, ofAddress] = [makeCounts("mail-user", windowMs, counts), makeCounts("mail-address", windowMs, counts)];
  return {
    async allows(kind, userId, address) {
      const toAddress = await ofAddress.increment(countKey(kind, address));
      if (toAddress.totalHits > mostMails) return false;
      return (await ofUser.increment(countKey(kind, userId))).totalHits <= mostMails;
    },
  };
}
