// A journal in a temporary directory for each test.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isServiceError } from '@gatehouse/contracts'
import type { Logger } from '@gatehouse/kernel'
import { type Journal, type JournalInput, type JournalOptions, openJournal } from '../src/index.ts'

/** A test, or a suite with its hooks. */
export interface Lasting {
  after(act: () => void | Promise<void>): void
}

export const newDirectory = (t: Lasting): string => {
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-journal-'))
  t.after(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

export const silent: Logger = { debug() {}, info() {}, warn() {}, error() {}, child: () => silent }

const seed = Buffer.alloc(32, 7)

export const optionsIn = (directory: string): JournalOptions => ({
  path: join(directory, 'audit.jsonl'),
  publicKeyPath: join(directory, 'journal.pub'),
  seed,
  epoch: 1,
  log: silent,
})

export const newOptions = (t: Lasting): JournalOptions => optionsIn(newDirectory(t))

/** Closed when the test ends. */
export const openFor = async (t: Lasting, options: JournalOptions): Promise<Journal> => {
  const journal = await openJournal(options)
  t.after(() => journal.close())
  return journal
}

export const line = (text: string): JournalInput => ({
  stage: 'submit',
  edge: 'gateway-control-plane',
  principal: 'admin',
  detail: { text },
})

export const lines = (count: number, from = 1): JournalInput[] => Array.from({ length: count }, (_, index) => line(`line ${from + index}`))

/** The lines of the file, without newlines. */
export const rawLines = (path: string): string[] => readFileSync(path, 'utf8').split('\n').slice(0, -1)

export const textsOf = (entries: readonly { detail: Record<string, unknown> }[]): unknown[] => entries.map(({ detail }) => detail['text'])

export const isUnwritable = (error: unknown): boolean =>
  isServiceError(error) && error.code === 'audit-unwritable' && error.hint !== undefined
