/** The name of a constraint, or its columns. */
interface Constraint {
  readonly index: string;
  readonly fields?: readonly string[];
}

/**
 * The constraint in a message of MySQL or MariaDB about a duplicate key or a foreign key: Prisma's adapter reads the word at
 * a fixed position, which names with blanks move. MySQL puts the table before the name of a unique index.
 */
export function mysqlConstraint(message: string): Constraint | undefined {
  const start = message.startsWith("Duplicate entry ") ? message.lastIndexOf(beforeKey) : -1;
  if (start >= 0) return { index: message.slice(start + beforeKey.length, -1).replace(/^.*\./, "") };
  const [, name, columns] = /CONSTRAINT `((?:[^`]|``)*)` FOREIGN KEY \((.*?)\) REFERENCES /.exec(message) ?? [];
  if (name === undefined || columns === undefined) return undefined;
  return {
    index: unquote(name),
    fields: [...columns.matchAll(/`((?:[^`]|``)*)`/g)].map(([, one = ""]) => unquote(one)),
  };
}

/** What comes before the name of a key, which ends the message with another quotation mark. */
const beforeKey = " for key '";

const unquote = (name: string): string => name.replaceAll("``", "`");
