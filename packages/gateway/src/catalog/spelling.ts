// The spelling of a tool server's name. Names that differ by case alone are one name, spelled as it was first saved.
import { ServerName } from '@gatehouse/contracts'
import * as v from 'valibot'
import type { CatalogItem } from './catalog.ts'
import { tagOfEntry } from './identity.ts'
import type { SettleDeps } from './settle.ts'

type SpellingDeps = Pick<SettleDeps, 'store'>

/** A name that was never saved stays as it is. The table keeps the names of removed servers too, since their grants stay. */
export const spell = async ({ store }: SpellingDeps, name: ServerName): Promise<ServerName> => {
  const row = await store.read.get<{ name: string }>('SELECT name FROM catalog_writes WHERE name = ? COLLATE NOCASE', [name])
  return row === undefined ? name : v.parse(ServerName, row.name)
}

/** What is no name of a server is left to the schema to refuse. */
export const spellMember = async (deps: SpellingDeps, after: unknown, member: string | undefined): Promise<unknown> => {
  if (member === undefined || typeof after !== 'object' || after === null) return after
  const name = v.safeParse(ServerName, Reflect.get(after, member))
  return name.success ? { ...after, [member]: await spell(deps, name.output) } : after
}

/** As a file has them. */
export const spellItems = (deps: Pick<SettleDeps, 'store' | 'secrets'>, items: readonly CatalogItem[]): Promise<CatalogItem[]> =>
  Promise.all(
    items.map(async (item) => {
      const name = await spell(deps, item.name)
      return name === item.name ? item : { ...item, name, tag: tagOfEntry(deps.secrets, name, item.entry) }
    }),
  )
