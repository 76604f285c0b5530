// A ledger by itself, on a real journal and a real database with gates before them, that tells what it tells.
import type { AuditEntry } from '@gatehouse/contracts'
import { type HeldJournal, type JournalInput, readHead } from '@gatehouse/journal'
import { createMetrics, silentLogger } from '@gatehouse/kernel'
import type { Store } from '@gatehouse/store'
import { createLedger, type Ledger } from '../../src/ledger/ledger.ts'
import { freezeProjections } from '../../src/state/freezes.ts'
import { sessionProjections } from '../../src/state/sessions.ts'
import { newDirectory, openState, removeDirectory } from '../fixtures/unit.ts'
import { behindGate, databaseGate, type Gate, guarded, journalGate } from './gates.ts'

/** What the ledger calls, in its order: `committed 5 freeze`, `tookEffect freeze`, `mended`. */
export type Said = string[]

export interface OwnLedger {
  readonly dir: string
  readonly ledger: Ledger
  readonly journal: HeldJournal
  readonly store: Store
  readonly gates: { readonly journal: Gate; readonly database: Gate; readonly reads: Gate }
  readonly calls: Said
  /** Milliseconds that a late act waits: long, but for the tests that wait for it in earnest. */
  readonly times: { lateWait: number }
  /** Opened on the same files, as if this one had died. */
  again(): Promise<OwnLedger>
  end(): Promise<void>
}

const seenThrough = (store: Store, gate: Gate): Store => ({
  ...store,
  read: { ...store.read, get: (sql, params) => gate.through(() => store.read.get(sql, params)) },
})

export const openLedger = async (dir?: string): Promise<OwnLedger> => {
  const place = dir ?? (await newDirectory())
  const { store, journal } = await openState(place)
  const gates = { journal: journalGate(), database: databaseGate(), reads: databaseGate() }
  const calls: Said = []
  const times = { lateWait: 30_000 }
  const committed = async (entries: readonly AuditEntry[]): Promise<void> => {
    const held = (await readHead(store.read)).seq
    calls.push(...entries.map(({ seq, stage }) => `committed ${seq} ${stage}${seq > held ? ', which the database lacks' : ''}`))
  }
  const ledger = createLedger({
    journal: behindGate(journal, gates.journal),
    store: seenThrough(guarded(store, gates.database), gates.reads),
    projections: { ...freezeProjections, ...sessionProjections },
    during: (_, transact) => transact(),
    committed,
    tookEffect: async (entries) => void calls.push(...entries.map(({ stage }) => `tookEffect ${stage}`)),
    recovered: () => void calls.push('recovered'),
    log: silentLogger,
    metrics: createMetrics('gateway'),
    get lateWait() {
      return times.lateWait
    },
  })
  await ledger.open()
  const close = async (): Promise<void> => {
    ledger.close()
    await journal.close()
    await store.close()
  }
  return {
    dir: place,
    ledger,
    journal,
    store,
    gates,
    calls,
    times,
    again: async () => {
      await close()
      return openLedger(place)
    },
    end: async () => {
      await close()
      await removeDirectory(place)
    },
  }
}

const itself = { edge: 'gateway', principal: 'gateway' } as const

/** An act that is never late. */
export const note = (text: string): JournalInput => ({ stage: 'start', ...itself, detail: { text } })

/** An act that may be. */
export const stop = (agentGroupID: string): JournalInput => ({
  stage: 'freeze',
  ...itself,
  agentGroupID,
  detail: { freeze: { agentGroupID, reason: 'alarm', by: 'gateway', at: '2026-11-20T00:00:00.000Z' } },
})

export const frozen = async ({ store }: Pick<OwnLedger, 'store'>): Promise<string[]> =>
  (await store.read.all<{ scope: string }>('SELECT scope FROM freezes ORDER BY scope')).map(({ scope }) => scope)
