// Evidence for a new tool server: what exactly it is, and one sentence for each value that it is given. No value is shown.
import { type CatalogEntry, checkServerUrl, type ServerName } from '@gatehouse/contracts'
import { quote } from '../kinds/words.ts'
import type { Described } from './evidence.ts'

const references = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g

/** Variables of the host that the value names. */
const namesIn = (value: string): string[] => [...new Set([...value.matchAll(references)].map(([, name]) => name ?? ''))]

const sentence = (as: string, value: string, to: string): string[] => {
  const names = namesIn(value)
  if (names.length > 0) return names.map((name) => `sends the value of ${name} to ${to}`)
  return [`sends a value of its own as ${quote(as)} to ${to}`]
}

const sends = (values: Readonly<Record<string, string>>, to: string): string[] =>
  Object.entries(values).flatMap(([as, value]) => sentence(as, value, to))

/** A url that the verifier refuses names no host. */
const hostOf = (url: string): string => (checkServerUrl(url) === null ? new URL(url).host : 'the server')

export const describeEntry = (server: ServerName, entry: CatalogEntry): Described => {
  const sharing = entry.sharing === undefined ? {} : { sharing: entry.sharing }
  const common = { status: 'described' as const, server, transport: entry.transport, ...sharing }
  const reach = entry.transport === 'stdio' || entry.reach === undefined ? {} : { reach: entry.reach }
  if (entry.transport === 'http') return { ...common, url: entry.url, ...reach, sends: sends(entry.headers, hostOf(entry.url)) }
  const image = entry.image === undefined || entry.image === '' ? {} : { image: entry.image }
  return { ...common, command: entry.command, args: entry.args, ...image, sends: sends(entry.env, `the program ${quote(entry.command)}`) }
}
