import { countedName } from "./counted-name.js";
import { type CountsOptions, countKey, makeCounts } from "./make-counts.js";

/** Limits the number of emails per mailbox. */
export interface MailBudget {
  /** Whether one more email of a kind may be sent to a user at an address; if so, it is counted. */
  allows(kind: string, userId: string, address: string): Promise<boolean>;
}

/** The number of emails of a kind per window, for a user and for an address. */
const maxMails = 5;
const windowMs = 60 * 60_000;

/** Creates the limits of one service: each kind is counted separately, so that none uses up another's. */
export function makeMailBudget(counts: CountsOptions): MailBudget {
  const [ofUser, ofAddress] = [makeCounts("mail-user", windowMs, counts), makeCounts("mail-address", windowMs, counts)];
  return {
    async allows(kind, userId, address) {
      const toAddress = await ofAddress.increment(countKey(kind, countedName(address)));
      if (toAddress.totalHits > maxMails) return false;
      return (await ofUser.increment(countKey(kind, userId))).totalHits <= maxMails;
    },
  };
}
