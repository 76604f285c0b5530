// Tells a damaged file from a moment's trouble with the disk.

const damaged: readonly unknown[] = ['SQLITE_CORRUPT', 'SQLITE_NOTADB']

/** The store keeps SQLite's own error as the cause. */
export const isDamage = (error: unknown): boolean => error instanceof Error && hasCode(error.cause)

const hasCode = (cause: unknown): boolean => cause instanceof Error && 'code' in cause && damaged.includes(cause.code)
