// Makes the stores of a stopped unit what the release before the newest steps of their schemas would have left: every row
// in the columns that there were. It takes nothing back by hand, so it fits whatever step comes next.
import { readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { stateFiles } from '@gatehouse/contracts'
import { migrations as databaseSteps } from '@gatehouse/gateway'
import { deriveKey, parseKeyring } from '@gatehouse/kernel'
import { migrations as queueSteps } from '@gatehouse/runner/queue'
import { openKeyFile, openStore, type Store, type StoreOptions, type Transaction } from '@gatehouse/store'

export const schemaOfDatabase = databaseSteps.length

const named = (type: 'table' | 'trigger') =>
  `SELECT name, sql FROM sqlite_schema WHERE type = '${type}' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name`

interface Named {
  readonly name: string
  readonly sql: string
}

const copyTable = async (from: Store, to: Transaction, table: string): Promise<void> => {
  const columns = (await to.all<{ name: string }>(`SELECT name FROM pragma_table_info(?)`, [table])).map(({ name }) => name)
  const rows = await from.read.all<Record<string, string | number | null>>(`SELECT ${columns.join(', ')} FROM ${table}`)
  const insert = `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`
  for (const row of rows)
    await to.run(
      insert,
      columns.map((name) => row[name] ?? null),
    )
}

/** Triggers would write once more what is copied. */
const copyAll = (from: Store, to: Store): Promise<void> =>
  to.write(async (tx) => {
    const triggers = await tx.all<Named>(named('trigger'))
    for (const { name } of triggers) await tx.run(`DROP TRIGGER ${name}`)
    for (const { name } of await tx.all<Named>(named('table'))) await copyTable(from, tx, name)
    for (const { sql } of triggers) await tx.run(sql)
    const counts = (await from.read.get(`SELECT 1 FROM sqlite_schema WHERE name = 'sqlite_sequence'`)) !== undefined
    const counters = counts ? await from.read.all<{ name: string; seq: number }>('SELECT name, seq FROM sqlite_sequence') : []
    for (const { name, seq } of counters) await tx.run('UPDATE sqlite_sequence SET seq = ? WHERE name = ?', [seq, name])
  })

const takeBack = async (store: StoreOptions): Promise<void> => {
  const path = `${store.path}.older`
  const from = await openStore(store)
  const to = await openStore({ ...store, path, migrations: store.migrations.slice(0, -1) })
  try {
    await copyAll(from, to)
  } finally {
    await from.close()
    await to.close()
  }
  for (const end of ['-wal', '-shm']) await rm(`${store.path}${end}`, { force: true })
  await rename(path, store.path)
}

const newestKey = async (stateDir: string) => {
  const newest = parseKeyring(await readFile(join(stateDir, stateFiles.keyring), 'utf8'))?.at(-1)
  if (newest === undefined) throw new Error(`${stateDir} has no keyring`)
  return (purpose: string): Buffer => deriveKey(newest.key, purpose, newest.epoch)
}

const databaseOf = async (stateDir: string): Promise<StoreOptions> => {
  const key = await newestKey(stateDir)
  return { path: join(stateDir, stateFiles.database), key: key('database').toString('hex'), migrations: databaseSteps }
}

const queuesOf = async (stateDir: string): Promise<StoreOptions[]> => {
  const wrapping = (await newestKey(stateDir))('queues')
  const names = (await readdir(join(stateDir, stateFiles.queues))).filter((name) => name.endsWith('.db'))
  return Promise.all(
    names.map(async (name) => {
      const session = name.slice(0, -'.db'.length)
      const sealed = await readFile(join(stateDir, stateFiles.keys, `${session}.key`), 'utf8')
      const { key } = openKeyFile(wrapping, session, sealed)
      return { path: join(stateDir, stateFiles.queues, name), key: key.toString('hex'), migrations: queueSteps }
    }),
  )
}

/** Resolves with how many stores there are. */
export const toOlderSchema = async (stateDir: string): Promise<number> => {
  const stores = [await databaseOf(stateDir), ...(await queuesOf(stateDir))]
  for (const store of stores) await takeBack(store)
  return stores.length
}

/** As a release would that has one step more than this one. */
export const toNewerSchema = async (stateDir: string): Promise<void> => {
  const options = await databaseOf(stateDir)
  await (
    await openStore({ ...options, migrations: [...options.migrations, ['CREATE TABLE of_a_newer_release (one INTEGER) STRICT']] })
  ).close()
}

/** What the file of each store says that it holds, read as a release that knows so many steps fewer reads it. */
export const schemasOf = async (stateDir: string, back = 0): Promise<Readonly<Record<string, readonly string[]>>> => {
  const found: Record<string, readonly string[]> = {}
  for (const options of [await databaseOf(stateDir), ...(await queuesOf(stateDir))]) {
    const store = await openStore({ ...options, migrations: options.migrations.slice(0, options.migrations.length - back) })
    const rows = await store.read.all<Named>('SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name')
    await store.close()
    found[options.path.slice(stateDir.length + 1)] = rows.map(({ sql }) => sql.replaceAll(/\s+/g, ' '))
  }
  return found
}
