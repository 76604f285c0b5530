// Brings a database up to the schema of this release, one transaction a step; refuses one of a newer release.
import { exits } from '@gatehouse/contracts'
import { Refusal } from '@gatehouse/kernel'
import type { Connection } from './connection.ts'

/** A step is a list of statements; `PRAGMA user_version` counts the steps that were taken. */
export type Migrations = readonly (readonly string[])[]

const versionOf = async (connection: Connection): Promise<number> => {
  const [row] = (await connection.all('PRAGMA user_version', [])) as { user_version: number }[]
  return row?.user_version ?? 0
}

const step = async (connection: Connection, statements: readonly string[], version: number): Promise<void> => {
  await connection.exec('BEGIN IMMEDIATE')
  try {
    for (const statement of statements) await connection.exec(statement)
    await connection.exec(`PRAGMA user_version = ${version}`)
    await connection.exec('COMMIT')
  } catch (error) {
    await connection.exec('ROLLBACK').catch(() => {})
    throw error
  }
}

export const migrate = async (connection: Connection, migrations: Migrations, path: string): Promise<void> => {
  const version = await versionOf(connection)
  if (version > migrations.length) {
    throw new Refusal(exits.configuration, {
      detail: `${path}: expected schema ${migrations.length} or older, got ${version}`,
      hint: 'start the newer release that wrote it, or restore a backup of this release',
    })
  }
  for (const [index, statements] of migrations.entries()) {
    if (index >= version) await step(connection, statements, index + 1)
  }
}
