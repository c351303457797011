/**
 * What is stored cannot be had at the moment: the database is away, in recovery, or has no room. Nobody is at fault who asked; whether what was
 * asked was done need not be known. Raised by the store, told as 503.
 */
export class AwayError extends Error {}
