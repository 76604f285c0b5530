// Names in a state directory of what is not the state: what a crash left half done, and what the file system put there.

/** Copies of databases that a backup makes: they go at the next start. */
export const copiesPrefix = '.backup-'
/** Half a restore: no unit starts on it. */
export const restoringPrefix = '.restoring-'
/** Below the directory of groups, none of which is named with a dot: files of people that are not whole yet. */
export const incomingName = '.incoming'
/** What ext4 has at its root: root's, where the state directory is a volume of its own. */
export const lostAndFound = 'lost+found'
