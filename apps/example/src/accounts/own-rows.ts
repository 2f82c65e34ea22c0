import { callerOf, type RowRule } from "@servicekit/service";

/** A filter of the rows that belong to a customer. */
type RowsOf = (customerId: string) => Readonly<Record<string, unknown>>;

/**
 * Creates the rules by which customers reach their own rows and the staff all rows.
 *
 * @param customerRole the role that is limited to its own rows
 */
export function makeOwnRows(customerRole: string): (rowsOf: RowsOf) => RowRule {
  return (rowsOf) => (request) => {
    const caller = callerOf(request);
    if (caller?.roles.some((role) => role !== customerRole) === true) return true;
    const customerId = caller?.user.customerId;
    return typeof customerId === "string" ? rowsOf(customerId) : false;
  };
}
