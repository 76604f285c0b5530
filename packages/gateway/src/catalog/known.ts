// The catalog as the journal knows it, whatever the file says.
import { ServerName } from '@gatehouse/contracts'
import * as v from 'valibot'
import type { CatalogItem } from './catalog.ts'
import { digestOfEntry, tagOfEntry } from './identity.ts'
import { Sealed, type SettleDeps, unsealEntry } from './settle.ts'

interface EntryRow {
  readonly name: string
  readonly entry: string
}

export const knownItems = async ({ store, secrets }: SettleDeps): Promise<CatalogItem[]> => {
  const rows = await store.read.all<EntryRow>('SELECT name, entry FROM catalog_writes WHERE entry IS NOT NULL ORDER BY name')
  return rows.map((row) => {
    const name = v.parse(ServerName, row.name)
    const entry = unsealEntry(secrets, v.parse(Sealed, JSON.parse(row.entry)))
    return { name, entry, digest: digestOfEntry(entry), tag: tagOfEntry(secrets, name, entry) }
  })
}
