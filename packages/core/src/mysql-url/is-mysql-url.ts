/** Whether a URL is that of a MySQL or MariaDB database, such as `mysql://user:password@host:3306/name`. */
export const isMysqlUrl = (url: string): boolean => url.startsWith("mysql:");
