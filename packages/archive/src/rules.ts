// Which entries an archive may have: nothing that leads out of the directory it is restored to, and nothing twice.
import { hash } from 'node:crypto'
import { formatBounds, hostActsFile, stateFiles } from '@gatehouse/contracts'
import { broken, type Entry } from './entry.ts'
import { isReadAsWritten } from './head.ts'
import { stateRoot } from './manifest.ts'

export const most = formatBounds.archive

/** What a restore writes itself, or what belongs to a process that runs. */
const reserved: ReadonlySet<string> = new Set([stateFiles.locks, hostActsFile, stateFiles.auditReserve])

/** Where agents and servers keep what is theirs, links among it. */
const foreign = /^state\/(?:groups\/[^/]+|tool-data)\/./s

const shown = (path: string): string => JSON.stringify(path.length > 200 ? `${path.slice(0, 200)}…` : path)

const isPlain = (name: string): boolean =>
  name !== '' && name !== '.' && name !== '..' && !name.includes('\0') && Buffer.byteLength(name) <= most.name

const expectedOfPath = (path: string): string | undefined => {
  const names = path.split('/')
  if (path === '' || path.startsWith('/')) return 'relative paths'
  if (!names.every(isPlain)) return 'a path of plain names'
  if (Buffer.byteLength(path) > most.path) return `paths of at most ${most.path} bytes`
  if (names[0] !== stateRoot) return `everything below ${stateRoot}/`
  return names[1] !== undefined && reserved.has(names[1]) ? `no ${names[1]} in an archive` : undefined
}

/** What an archive wants instead of this entry, whatever else it has; undefined: it may have it. */
const expectedOf = (entry: Entry): string | undefined => {
  const ofPath = expectedOfPath(entry.path)
  if (ofPath !== undefined) return ofPath
  if (entry.mode > 0o777) return `permission bits alone and no mode ${entry.mode.toString(8)}`
  if (entry.type === 'file') return Number.isSafeInteger(entry.size) ? undefined : 'files whose size is a whole number'
  if (entry.type !== 'link') return undefined
  if (!foreign.test(entry.path)) return 'links among the files of agents alone'
  if (entry.target !== '' && Buffer.byteLength(entry.target) <= most.target && !entry.target.includes('\0')) return undefined
  return `a target of the link, of at most ${most.target} bytes`
}

/** Of paths that are thousands of bytes long each there could be more than fit in memory. */
const keyOf = (path: string): string => hash('sha256', path, 'binary')

export interface Rules {
  /** Throws a `Refusal` for an entry that may not be there. */
  admit(entry: Entry): void
}

export const createRules = (): Rules => {
  const seen = new Map<string, Entry['type']>()
  return {
    admit(entry) {
      const { path } = entry
      const expected = expectedOf(entry)
      if (expected !== undefined) throw broken(`expected ${expected}, got ${shown(path)}`)
      const key = keyOf(path)
      if (seen.has(key)) throw broken(`expected each path once, got ${shown(path)} twice`)
      const above = path.slice(0, Math.max(path.lastIndexOf('/'), 0))
      if (above !== '' && seen.get(keyOf(above)) !== 'directory')
        throw broken(`expected a directory before what lies in it, got ${shown(path)}`)
      if (seen.size >= most.entries) throw broken(`expected at most ${most.entries} entries`)
      seen.set(key, entry.type)
    },
  }
}

/**
 * The system takes paths of at most 4095 bytes. 255 are for the state directory that it is restored to, 32 for the working
 * directory in it, two for what parts them; the rest is for whoever lays that directory somewhat deeper.
 */
const longestPath = 3800

/** In words that go on after its path; undefined: nothing keeps it out. */
export const unfitFor = (entry: Entry): string | undefined => {
  if (Buffer.byteLength(entry.path) > longestPath) return `its path is longer than ${longestPath} bytes, and could not be restored`
  const expected = expectedOf(entry)
  if (expected !== undefined) return `an archive may not have it: expected ${expected}`
  return isReadAsWritten(entry) ? undefined : 'its path or target has a line end or so, which is not read from an archive as it is written'
}
