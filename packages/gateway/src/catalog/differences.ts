// How one state of the catalog differs from another, entry by entry.
import type { Digest, ServerName } from '@gatehouse/contracts'
import type { Exchange } from '../grants/suspend.ts'
import type { Secrets } from '../secrets/secrets.ts'
import type { CatalogItem } from './catalog.ts'
import type { ReloadDetail } from './lines.ts'
import { sealEntry } from './settle.ts'

export interface Known {
  readonly name: ServerName
  readonly digest: Digest
  readonly tag: Digest
}

export interface Difference {
  readonly name: ServerName
  readonly before: Known | undefined
  readonly after: CatalogItem | undefined
}

export const differences = (before: readonly Known[], after: readonly CatalogItem[]): Difference[] => {
  const were = new Map(before.map((item) => [item.name, item]))
  const are = new Map(after.map((item) => [item.name, item]))
  const names = [...new Set([...were.keys(), ...are.keys()])].toSorted()
  return names
    .map((name) => ({ name, before: were.get(name), after: are.get(name) }))
    .filter((difference) => difference.before?.tag !== difference.after?.tag)
}

/** Those that make a tool server another one. What is taken away makes none. */
export const exchanges = (found: readonly Difference[]): Exchange[] =>
  found.flatMap(({ name, before, after }) => (after === undefined ? [] : [{ server: name, from: before?.digest, to: after.digest }]))

const stateOf = (known: Known | undefined) => (known === undefined ? null : { digest: known.digest, tag: known.tag })

export const detailOf = (secrets: Secrets, found: readonly Difference[]): ReloadDetail['entries'] =>
  found.map(({ name, before, after }) => ({
    name,
    before: stateOf(before),
    after: stateOf(after),
    entry: after === undefined ? null : sealEntry(secrets, after.entry),
  }))
