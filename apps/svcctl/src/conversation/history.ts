// What was typed to a group before, kept in the user's own cache with mode 0600, so that the arrow keys bring it back.
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Environment } from '../command.ts'

const most = 200

const fileOf = (environment: Environment, group: string): string =>
  join(
    environment['XDG_STATE_HOME'] || join(homedir(), '.local/state'),
    'svcctl',
    'history',
    `${group.replaceAll(/[^a-z0-9_-]/g, '_')}.json`,
  )

/** The newest first; empty where nothing was kept or it cannot be read. */
export const readHistory = async (environment: Environment, group: string): Promise<string[]> => {
  try {
    const kept: unknown = JSON.parse(await readFile(fileOf(environment, group), 'utf8'))
    return Array.isArray(kept) ? kept.filter((line) => typeof line === 'string').slice(0, most) : []
  } catch {
    return []
  }
}

/** A home that cannot be written is no reason to end a conversation. */
export const keepHistory = async (environment: Environment, group: string, lines: readonly string[]): Promise<void> => {
  const file = fileOf(environment, group)
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    await writeFile(file, JSON.stringify([...new Set(lines)].slice(0, most)), { mode: 0o600 })
  } catch {
    // nothing is kept
  }
}
