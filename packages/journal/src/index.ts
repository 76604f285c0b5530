// Public surface of the journal.
export type { Head } from './chain.ts'
export { type Journal, type JournalOptions, openJournal } from './open.ts'
export type { JournalInput } from './chain.ts'
export { openRecords, type Records } from './records.ts'
export { type Verdict, verifyJournal, type VerifyOptions } from './verify.ts'
