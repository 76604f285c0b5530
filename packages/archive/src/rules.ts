// Which entries an archive may have: nothing that leads out of the directory it is restored to, and nothing twice.
import { hostActsFile, stateFiles } from '@gatehouse/contracts'
import { broken } from './broken.ts'
import type { Entry } from './entry.ts'
import { stateRoot } from './manifest.ts'

const most = { entries: 4_000_000, path: 4096, name: 255, target: 4095 }

/** What a restore writes itself, or what belongs to a process that runs. */
const reserved: ReadonlySet<string> = new Set([stateFiles.locks, hostActsFile, stateFiles.auditReserve])

/** Where agents and servers keep what is theirs, links among it. */
const foreign = /^state\/(?:groups\/[^/]+|tool-data)\/./

const shown = (path: string): string => JSON.stringify(path.length > 200 ? `${path.slice(0, 200)}…` : path)

const checkName = (path: string): void => {
  const names = path.split('/')
  if (path === '' || path.startsWith('/')) throw broken(`expected relative paths, got ${shown(path)}`)
  if (names.some((name) => name === '' || name === '.' || name === '..' || name.includes('\0') || Buffer.byteLength(name) > most.name))
    throw broken(`expected a path of plain names, got ${shown(path)}`)
  if (Buffer.byteLength(path) > most.path) throw broken(`expected paths of at most ${most.path} bytes, got ${shown(path)}`)
  if (names[0] !== stateRoot) throw broken(`expected everything below ${stateRoot}/, got ${shown(path)}`)
  if (names[1] !== undefined && reserved.has(names[1])) throw broken(`expected no ${names[1]} in an archive, got ${shown(path)}`)
}

export interface Rules {
  /** Throws a `Refusal` for an entry that may not be there. */
  admit(entry: Entry): void
  has(path: string): boolean
}

export const createRules = (): Rules => {
  const seen = new Map<string, Entry['type']>()
  return {
    admit(entry) {
      const { path, mode, type } = entry
      checkName(path)
      if (seen.has(path)) throw broken(`expected each path once, got ${shown(path)} twice`)
      const above = path.slice(0, Math.max(path.lastIndexOf('/'), 0))
      if (above !== '' && seen.get(above) !== 'directory') throw broken(`expected a directory before what lies in it, got ${shown(path)}`)
      if (mode > 0o777) throw broken(`expected permission bits alone, got mode ${mode.toString(8)} on ${shown(path)}`)
      if (type === 'link' && !foreign.test(path)) throw broken(`expected links among the files of agents alone, got ${shown(path)}`)
      if (type === 'link' && (entry.target === '' || Buffer.byteLength(entry.target) > most.target || entry.target.includes('\0')))
        throw broken(`expected a target of the link ${shown(path)}`)
      if (seen.size >= most.entries) throw broken(`expected at most ${most.entries} entries`)
      seen.set(path, type)
    },
    has: (path) => seen.has(path),
  }
}
