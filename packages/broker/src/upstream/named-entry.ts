// A catalog entry under its name, as a connection is made for it.
import type { CatalogEntry, ServerName, SessionID } from '@gatehouse/contracts'

export interface NamedEntry {
  readonly name: ServerName
  readonly entry: CatalogEntry
  /** Where each session has a connection of its own. */
  readonly session?: SessionID
}
