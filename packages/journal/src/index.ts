// Public surface of the journal.
export type { Appended } from './appender.ts'
export type { Placed, Position } from './batch.ts'
export type { Head, JournalInput } from './chain.ts'
export type { Checkpoint } from './checkpoint.ts'
export { type Journal, type JournalOptions, openJournal } from './open.ts'
export { openRecords, type Records } from './records.ts'
export { type Verdict, verifyJournal, type VerifyOptions } from './verify.ts'
