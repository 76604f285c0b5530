// Names in a state directory of what is half done: only a crash leaves them behind.

/** Copies of databases that a backup makes: they go at the next start. */
export const copiesPrefix = '.backup-'
/** Half a restore: no unit starts on it. */
export const restoringPrefix = '.restoring-'
/** Below the directory of groups, none of which is named with a dot: files of people that are not whole yet. */
export const incomingName = '.incoming'
