// Checks of the state directory on this host: that it belongs to the unit, its owner and modes, its contents and the audit log.
import { existsSync } from 'node:fs'
import { lstat, readdir, readFile, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { stateFiles, stateSchema } from '@gatehouse/contracts'
import * as v from 'valibot'
import type { UnitDirectory } from '../journal/unit-directory.ts'
import { type Check, fail, noStateDirectory, notChecked, pass, quoted, type Verdict, warn } from './check.ts'

const name = { advice: 'name the directory of that unit with --state-dir, or its address with --addr' }

const origin = (place: UnitDirectory): string => {
  if (place.status === 'proven') return 'held by the unit'
  return 'why' in place ? place.why : 'the only one of this host'
}

const checkDirectory = async (directory: string, place: UnitDirectory): Promise<Verdict> => {
  const path = quoted(directory)
  const found = await stat(directory).catch(() => undefined)
  if (found === undefined) return fail(`there is nothing at ${directory}`, `mkdir -p -m 0700 ${path}`)
  if (!found.isDirectory()) return fail(`${directory} is no directory`, `mv ${path} ${path}.moved && mkdir -m 0700 ${path}`)
  const mode = found.mode & 0o777
  if (mode !== 0o700) return fail(`${directory} has mode 0${mode.toString(8)}, expected 0700`, `chmod 0700 ${path}`)
  return pass(`${directory}, ${origin(place)}`)
}

export const stateDirectory: Check = {
  name: 'state-directory',
  run: async ({ stateDir, place }) => {
    if (place.status === 'refused') return [fail(place.why, name)]
    if (place.status === 'unknown') return [notChecked(place.why, name)]
    return stateDir === undefined ? [] : [await checkDirectory(stateDir, place)]
  },
}

/** Whether the state can be started from: its schema, its keys, its reserve. */
const State = v.looseObject({ schema: v.number(), mode: v.string() })

const schemaOf = async (stateDir: string): Promise<Verdict[]> => {
  const path = join(stateDir, stateFiles.state)
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), State), await readFile(path, 'utf8').catch(() => ''))
  if (!parsed.success) return [fail(`${path} cannot be read as JSON`, { advice: 'restore the directory from a backup' })]
  const { schema } = parsed.output
  return schema <= stateSchema
    ? []
    : [fail(`${path} is of schema ${schema}, newer than ${stateSchema}`, { advice: 'use the release that wrote it' })]
}

export const stateContents: Check = {
  name: 'state-contents',
  run: async ({ stateDir, environment }) => {
    const names: readonly string[] = stateDir === undefined ? [] : await readdir(stateDir).catch(() => [])
    if (stateDir === undefined) return [noStateDirectory]
    if (!names.includes(stateFiles.database)) return [pass('there is no database yet')]
    const reserve = quoted(join(stateDir, stateFiles.auditReserve))
    const external = Boolean(environment['SERVICE_MASTER_KEY_FILE'])
    const verdicts = [
      ...(await schemaOf(stateDir)),
      ...(names.includes(stateFiles.keyring) || external
        ? []
        : [
            fail('there is a database and no keyring to open it', {
              advice: `restore ${stateFiles.keyring} from a backup, or set SERVICE_MASTER_KEY_FILE`,
            }),
          ]),
      ...(names.includes(stateFiles.audit)
        ? []
        : [fail('there is a database and no journal', { advice: 'restore the directory from a backup' })]),
      ...(names.includes(stateFiles.auditReserve)
        ? []
        : [
            warn(
              'the disk reserve of the journal is gone: it was given up when the disk was full',
              `fallocate -l 16MiB ${reserve} && chmod 0600 ${reserve}`,
            ),
          ]),
    ]
    return verdicts.length === 0 ? [pass(`schema ${stateSchema}`)] : verdicts
  },
}

/** What lies in the state directory: who owns it, and who may read it. */
const checkFile = async (path: string, owner: number): Promise<Verdict[]> => {
  const found = await lstat(path)
  const word = quoted(path)
  if (found.isSymbolicLink())
    return [fail(`${path} is a link: a unit keeps its files itself`, { advice: `move what ${path} leads to into its place` })]
  const wanted = found.isDirectory() ? 0o700 : 0o600
  const wide = (found.mode & 0o077) !== 0
  return [
    ...(found.uid === owner ? [] : [fail(`${path} belongs to uid ${found.uid}, expected ${owner}`, `chown -R ${owner} ${word}`)]),
    ...(wide
      ? [
          fail(
            `${path} is open to others: 0${(found.mode & 0o777).toString(8)}, expected 0${wanted.toString(8)}`,
            `chmod 0${wanted.toString(8)} ${word}`,
          ),
        ]
      : []),
  ]
}

export const stateFilesCheck: Check = {
  name: 'state-files',
  run: async ({ stateDir }) => {
    const found = stateDir === undefined ? undefined : await lstat(stateDir).catch(() => undefined)
    if (stateDir === undefined || found?.isDirectory() !== true) return [noStateDirectory]
    const names = await readdir(stateDir)
    const verdicts = (await Promise.all(names.map((name) => checkFile(join(stateDir, name), found.uid)))).flat()
    return verdicts.length === 0 ? [pass(`${names.length}, each for its owner alone`)] : verdicts
  },
}

/** What svcctl itself keeps: code that it will run, and lines that were typed. */
export const ownFiles: Check = {
  name: 'own-files',
  run: async ({ environment }) => {
    const home = environment['HOME'] || homedir()
    const folders = [
      join(environment['XDG_CACHE_HOME'] || join(home, '.cache'), 'svcctl'),
      join(environment['XDG_STATE_HOME'] || join(home, '.local/state'), 'svcctl'),
    ]
    const found = await Promise.all(
      folders.map(async (path) => {
        const mode = (await stat(path).catch(() => undefined))?.mode ?? 0
        return (mode & 0o022) === 0
          ? []
          : [fail(`others may write to ${path}, from which svcctl runs and reads`, `chmod -R go-w ${quoted(path)}`)]
      }),
    )
    return found.flat().length === 0 ? [pass('no one else may write them')] : found.flat()
  },
}

/** The audit log in the state directory: its chain, its signatures, and that it holds what the database has seen. */
const copyFirst = (stateDir: string): { advice: string } => ({
  advice: `keep a copy, then look: svcctl audit verify --state-dir ${quoted(stateDir)}`,
})

export const journal: Check = {
  name: 'journal',
  run: async ({ stateDir, environment }) => {
    const path = stateDir === undefined ? undefined : join(stateDir, stateFiles.audit)
    if (stateDir === undefined || path === undefined) return [noStateDirectory]
    if (!existsSync(path)) {
      const hasDatabase = existsSync(join(stateDir, stateFiles.database))
      return [hasDatabase ? fail(`${path} is missing beside its database`, copyFirst(stateDir)) : pass('nothing was written yet')]
    }
    const { verifyBeside } = await import('@gatehouse/journal/offline')
    const keyFile = environment['SERVICE_MASTER_KEY_FILE'] || undefined
    const { verdict, database } = await verifyBeside({ path, keyFile })
    if (!verdict.ok) return [fail(`${path}: line ${verdict.line} is bad: ${verdict.reason}`, copyFirst(stateDir))]
    if (database.status === 'compared') return [pass(`${path}: ${verdict.lines} lines, as the database has seen them`)]
    const reason = database.status === 'failed' ? database.error.detail : 'there is no database beside it'
    return [warn(`${path}: the chain holds, but it was not compared with the database: ${reason}`, copyFirst(stateDir))]
  },
}
