// When each token was last used: noted in memory, written now and then, never on the way to an answer.
import type { Rows, Store } from '@gatehouse/store'

export interface Uses {
  note(name: string, at: string): void
  of(name: string): string | undefined
  forget(name: string): void
  load(rows: Rows): Promise<void>
  save(store: Store): Promise<void>
}

export const createUses = (): Uses => {
  const uses = new Map<string, string>()
  const unsaved = new Set<string>()
  const write = (store: Store, names: readonly string[]): Promise<void> =>
    store.write(async (tx) => {
      for (const name of names) {
        await tx.run(
          `INSERT INTO token_uses (name, at) SELECT name, ? FROM tokens WHERE name = ?
           ON CONFLICT (name) DO UPDATE SET at = excluded.at`,
          [uses.get(name) ?? null, name],
        )
      }
    })
  return {
    note: (name, at) => {
      uses.set(name, at)
      unsaved.add(name)
    },
    of: (name) => uses.get(name),
    forget: (name) => {
      uses.delete(name)
      unsaved.delete(name)
    },
    load: async (rows) => {
      for (const { name, at } of await rows.all<{ name: string; at: string }>('SELECT name, at FROM token_uses')) uses.set(name, at)
    },
    save: async (store) => {
      const names = [...unsaved]
      if (names.length === 0) return
      unsaved.clear()
      try {
        await write(store, names)
      } catch (error) {
        for (const name of names) if (uses.has(name)) unsaved.add(name)
        throw error
      }
    },
  }
}
