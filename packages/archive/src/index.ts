// Public API of backup archives.
export { checkRecipients, type Cover, encrypt, type Opener, readIdentities } from './age.ts'
export { type Checked, computeKeyCheck } from './check.ts'
export type { DirectoryEntry, Entry, FileEntry, LinkEntry } from './entry.ts'
export { archiveFormat, archiveVersion, type Manifest, stateRoot } from './manifest.ts'
export { pack } from './pack.ts'
export { restore, type RestoreOptions } from './restore.ts'
export { maximums as archiveLimits, findArchiveFault } from './rules.ts'
