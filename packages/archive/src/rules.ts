// The rules for entries of an archive: no path leads out of the restored directory, and no path occurs twice.
import { hash } from 'node:crypto'
import { formatBounds, hostActsFile, stateFiles } from '@gatehouse/contracts'
import { broken, type Entry } from './entry.ts'
import { isReadAsWritten } from './head.ts'
import { stateRoot } from './manifest.ts'

export const maximums = formatBounds.archive

/** Names that a restore writes itself or that belong to a running process. */
const reserved: ReadonlySet<string> = new Set([stateFiles.locks, hostActsFile, stateFiles.auditReserve])

/** Files of agents and tool servers, which may include links. */
const agentFiles = /^state\/(?:groups\/[^/]+|tool-data)\/./s

const quotePath = (path: string): string => JSON.stringify(path.length > 200 ? `${path.slice(0, 200)}…` : path)

const isPlain = (name: string): boolean =>
  name !== '' && name !== '.' && name !== '..' && !name.includes('\0') && Buffer.byteLength(name) <= maximums.name

const findPathFault = (path: string): string | undefined => {
  const names = path.split('/')
  if (path === '' || path.startsWith('/')) return 'the path is not relative'
  if (!names.every(isPlain)) return 'the path contains an invalid name'
  if (Buffer.byteLength(path) > maximums.path) return `the path is longer than ${maximums.path} bytes`
  if (names[0] !== stateRoot) return `the path is not below ${stateRoot}/`
  return names[1] !== undefined && reserved.has(names[1]) ? `${names[1]} is not allowed in an archive` : undefined
}

/** Why an archive may not contain this entry; undefined if it may. */
const findEntryFault = (entry: Entry): string | undefined => {
  const pathFault = findPathFault(entry.path)
  if (pathFault !== undefined) return pathFault
  if (entry.mode > 0o777) return `mode ${entry.mode.toString(8)} has more than permission bits`
  if (entry.type === 'file') return Number.isSafeInteger(entry.size) ? undefined : 'the size is not an integer'
  if (entry.type !== 'link') return undefined
  if (!agentFiles.test(entry.path)) return 'links are allowed only among the files of agents'
  if (entry.target !== '' && Buffer.byteLength(entry.target) <= maximums.target && !entry.target.includes('\0')) return undefined
  return `the target of the link is missing or longer than ${maximums.target} bytes`
}

/** A digest, because long paths could exceed the memory. */
const toKey = (path: string): string => hash('sha256', path, 'binary')

export interface Rules {
  /** Throws a `Refusal` for an entry that is not allowed. */
  admit(entry: Entry): void
}

export const createRules = (): Rules => {
  const seen = new Map<string, Entry['type']>()
  return {
    admit(entry) {
      const { path } = entry
      const fault = findEntryFault(entry)
      if (fault !== undefined) throw broken(`${fault}: ${quotePath(path)}`)
      const key = toKey(path)
      if (seen.has(key)) throw broken(`a path occurs twice: ${quotePath(path)}`)
      const above = path.slice(0, Math.max(path.lastIndexOf('/'), 0))
      if (above !== '' && seen.get(toKey(above)) !== 'directory') throw broken(`an entry precedes its directory: ${quotePath(path)}`)
      if (seen.size >= maximums.entries) throw broken(`it has more than ${maximums.entries} entries`)
      seen.set(key, entry.type)
    },
  }
}

/**
 * Linux accepts paths of at most 4095 bytes. 255 are for the state directory, 32 for the working directory in it, two for separators;
 * the rest is a margin for deeper state directories.
 */
const maxPathBytes = 3800

/** Why the entry cannot be archived, to follow its path in a sentence; undefined if it can. */
export const findArchiveFault = (entry: Entry): string | undefined => {
  if (Buffer.byteLength(entry.path) > maxPathBytes) return `its path is longer than ${maxPathBytes} bytes, and could not be restored`
  const fault = findEntryFault(entry)
  if (fault !== undefined) return fault
  return isReadAsWritten(entry) ? undefined : 'its path or target has a character, such as a line break, that an archive cannot represent'
}
