// What stands before the journal and the database of a unit: it lets writes through, refuses them, keeps them waiting, or
// says of a write that was done that it failed.
import { ServiceError } from '@gatehouse/contracts'
import type { HeldJournal } from '@gatehouse/journal'
import type { Store } from '@gatehouse/store'
import { openUnit, type Unit, type UnitOptions } from '../fixtures/unit.ts'

/** `slammed`: shut for one, then open. */
export type Mood = 'open' | 'shut' | 'slammed' | 'stuck' | 'forgetful'

export interface Gate {
  set(mood: Mood): void
  /** How many are kept waiting now. */
  waiting(): number
  /** How many were refused. */
  refused(): number
  through<T>(act: () => Promise<T>): Promise<T>
}

export const createGate = (refusal: () => Error, first: Mood = 'open'): Gate => {
  let mood = first
  let turned = Promise.withResolvers<void>()
  let waiting = 0
  let refused = 0
  const wait = async (): Promise<void> => {
    if (mood !== 'stuck') return
    waiting += 1
    await turned.promise
    waiting -= 1
    await wait()
  }
  return {
    set: (next) => {
      mood = next
      turned.resolve()
      turned = Promise.withResolvers()
    },
    waiting: () => waiting,
    refused: () => refused,
    through: async (act) => {
      await wait()
      if (mood === 'shut' || mood === 'slammed') {
        if (mood === 'slammed') mood = 'open'
        refused += 1
        throw refusal()
      }
      const done = await act()
      if (mood === 'forgetful') throw refusal()
      return done
    },
  }
}

export const journalGate = (first?: Mood): Gate =>
  createGate(() => new ServiceError('audit-unwritable', { detail: 'the disk of the journal says no' }), first)
export const databaseGate = (first?: Mood): Gate =>
  createGate(() => new ServiceError('unavailable', { detail: 'the disk of the database says no' }), first)

export const behindGate = (journal: HeldJournal, gate: Gate): HeldJournal => ({
  ...journal,
  append: (lines) => gate.through(() => journal.append(lines)),
})

/** Only writes pass the gate; what is there can always be read. */
export const guarded = (store: Store, gate: Gate): Store => ({ ...store, write: (act) => gate.through(() => store.write(act)) })

export interface Gated extends Unit {
  /** The gate before the journal, and that before the database. */
  readonly gates: { readonly journal: Gate; readonly database: Gate }
}

/** @param moods of the gates from the start */
export const openGated = async (
  options: Omit<UnitOptions, 'journal' | 'store'> = {},
  moods: { readonly journal?: Mood; readonly database?: Mood } = {},
): Promise<Gated> => {
  const gates = { journal: journalGate(moods.journal), database: databaseGate(moods.database) }
  const unit = await openUnit({
    ...options,
    journal: (journal) => behindGate(journal, gates.journal),
    store: (store) => guarded(store, gates.database),
  })
  return { ...unit, gates }
}
