/** The name of the queue of pg-boss that stores the jobs of a queue which have failed for good. */
export const failedQueue = (name: string): string => `${name}.failed`;
