// A catalog entry with some of its fields changed by flags.
import type { CatalogEntry, LocalEntry, RemoteEntry } from '@gatehouse/contracts'
import { type EntryFlags, toEntry } from './to-entry.ts'

/** Another image has another id, which the unit finds. */
const editLocal = ({ imageID, ...entry }: LocalEntry, flags: EntryFlags): CatalogEntry => {
  const changed = toEntry({ ...flags, command: flags.command ?? entry.command, arg: flags.arg ?? entry.args })
  if (changed.transport !== 'stdio') return changed
  const kept = imageID === undefined || flags.image !== undefined ? {} : { imageID }
  return { ...entry, ...kept, ...changed, env: { ...entry.env, ...changed.env } }
}

const editRemote = (entry: RemoteEntry, flags: EntryFlags): CatalogEntry => {
  const changed = toEntry({ ...flags, url: flags.url ?? entry.url })
  return changed.transport === 'http' ? { ...entry, ...changed, headers: { ...entry.headers, ...changed.headers } } : changed
}

/** Variables and headers are added to those that are there; arguments and volumes are replaced as a whole. */
export const edited = (entry: CatalogEntry, flags: EntryFlags): CatalogEntry => {
  if (entry.transport === 'stdio') return flags.url === undefined ? editLocal(entry, flags) : toEntry(flags)
  return flags.command === undefined ? editRemote(entry, flags) : toEntry(flags)
}
