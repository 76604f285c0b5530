// A state directory of its own for each test, removed afterwards.
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { openStore, type Store, type StoreOptions } from '../src/index.ts'

const newDirectory = (t: TestContext): string => {
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-store-'))
  t.after(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

export const newKey = (): string => randomBytes(32).toString('hex')

export const notes = [['CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE) STRICT']]

export const newOptions = (t: TestContext): StoreOptions => ({ path: join(newDirectory(t), 'notes.db'), key: newKey(), migrations: notes })

/** Closed when the test ends. */
export const openFor = async (t: TestContext, options: StoreOptions): Promise<Store> => {
  const store = await openStore(options)
  t.after(() => store.close())
  return store
}

export const add = (store: Store, text: string): Promise<{ changes: number }> =>
  store.write((tx) => tx.run('INSERT INTO notes (text) VALUES (?)', [text]))

export const texts = async (store: Store): Promise<string[]> =>
  (await store.read.all<{ text: string }>('SELECT text FROM notes ORDER BY id')).map(({ text }) => text)
