// What each server of a client becomes in the catalog, and the command that comes next. Secrets are references by then.
import { type CatalogEntry, checkServerUrl, isSameServer, LocalEntry, RemoteEntry, ServerName } from '@gatehouse/contracts'
import * as v from 'valibot'
import { quoteWords } from '../output/quote.ts'
import { type Launch, readLaunch } from './programs.ts'
import { Variables } from './secrets.ts'
import { type ClientServer, isObject, type Json } from './sources.ts'

const outcomes = ['npm', 'pypi', 'oci', 'remote', 'program', 'refused'] as const

export const Proposal = v.strictObject({
  /** In the catalog. */
  name: v.string(),
  /** Where it is configured, and under which name. */
  from: v.array(v.strictObject({ client: v.string(), path: v.string(), name: v.string() })),
  /** `npm`, `pypi`, `oci`: an image has to be made first. `remote`, `program`: `entry` is complete. */
  becomes: v.picklist(outcomes),
  package: v.optional(v.string()),
  entry: v.optional(v.variant('transport', [LocalEntry, RemoteEntry])),
  /** Variables that the unit needs in its environment. */
  variables: v.array(v.string()),
  /** What was left out or has to be looked at, or why it is refused. */
  notes: v.array(v.string()),
  next: v.optional(v.string()),
  /** Written by `--write`. */
  file: v.optional(v.string()),
})
export type Proposal = v.InferOutput<typeof Proposal>

type Outcome = Pick<Proposal, 'becomes' | 'package' | 'entry' | 'notes' | 'next'>

interface Context {
  readonly name: string
  readonly group: string
  readonly variables: Variables
}

const texts = (value: unknown): string[] | undefined =>
  Array.isArray(value) && value.every((item): item is string => typeof item === 'string' || typeof item === 'number')
    ? value.map(String)
    : undefined

const textMap = (value: unknown): Record<string, string> =>
  isObject(value)
    ? Object.fromEntries(
        Object.entries(value).flatMap(([name, text]): [string, string][] =>
          typeof text === 'string' || typeof text === 'number' || typeof text === 'boolean' ? [[name, String(text)]] : [],
        ),
      )
    : {}

const refused = (reason: string): Outcome => ({ becomes: 'refused', notes: [reason] })

const flagsOf = (flag: string, values: readonly string[]): string[] =>
  values.flatMap((value) => (value.startsWith('-') ? [`--${flag}=${value}`] : [`--${flag}`, value]))

const pairsOf = (values: Readonly<Record<string, string>>): string[] => Object.entries(values).map(([name, value]) => `${name}=${value}`)

const registration = ({ name, group }: Context, entry: CatalogEntry): string => {
  const words =
    entry.transport === 'http'
      ? ['--url', entry.url, ...flagsOf('header', pairsOf(entry.headers))]
      : ['--command', entry.command, ...flagsOf('arg', entry.args), ...flagsOf('env', pairsOf(entry.env))]
  return `svcctl change submit mcp_register ${quoteWords(['--group', group, '--name', name, ...words])}`
}

const complete = (context: Context, entry: CatalogEntry, notes: readonly string[]): Outcome => {
  const parsed = v.safeParse(Proposal.entries.entry, entry)
  if (!parsed.success) {
    const [{ path = [], expected }] = parsed.issues
    return refused(`/${path.map(({ key }) => String(key)).join('/')}: expected ${expected ?? 'another value'}, which the catalog requires`)
  }
  return { becomes: entry.transport === 'http' ? 'remote' : 'program', entry, notes: [...notes], next: registration(context, entry) }
}

interface Remote {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly notes: readonly string[]
}

const remote = (context: Context, { url, headers, notes }: Remote): Outcome => {
  const { name, variables } = context
  const [safe] = variables.ofArguments(name, [url]).args
  if (safe !== url) return refused('the url holds a secret or a reference, which the catalog takes in headers only: put it into a header')
  const fault = checkServerUrl(url)
  if (fault !== null) return refused(`/url: ${fault}`)
  const hidden = Object.fromEntries(Object.entries(headers).map(([key, value]) => [key, variables.ofHeader(name, key, value)]))
  return complete(context, { transport: 'http', url, headers: hidden }, notes)
}

/** `npx mcp-remote URL` is a remote server that a client reaches through a program. */
const throughProxy = (context: Context, { args }: Launch): Outcome | undefined => {
  const [url = '', ...rest] = args
  if (!/^https?:/i.test(url)) return undefined
  const headers = rest.flatMap((word, index): [string, string][] => {
    const at = word.indexOf(':')
    return rest[index - 1] === '--header' && at > 0 ? [[word.slice(0, at), word.slice(at + 1).trim()]] : []
  })
  return remote(context, { url, headers: Object.fromEntries(headers), notes: [] })
}

/** Variables that steer the engine or its client; a container is refused with them. */
const steering = /^(?:PATH|HOME|TMPDIR|LD_.*|DOCKER_.*|CONTAINERS?_.*|XDG_.*|(?:HTTPS?|ALL|NO|FTP)_PROXY)$/i

const argumentNote = 'the catalog takes no ${NAME} in arguments: change the command so that the server reads its environment'

interface Local {
  readonly launch: Launch
  /** As the client is configured. */
  readonly given: Readonly<Record<string, string>>
  readonly notes: readonly string[]
}

const local = (context: Context, { launch, given, notes }: Local): Outcome => {
  const { name, variables } = context
  const own = Object.entries(launch.env).map(([key, value]): [string, string] => [key, value ?? given[key] ?? `\${${key}}`])
  const all = Object.entries(launch.kind === 'oci' ? Object.fromEntries(own) : given)
  const kept = all.filter(([key]) => !steering.test(key))
  const dropped =
    all.length === kept.length
      ? []
      : [
          `left out of env: ${all
            .filter(([key]) => steering.test(key))
            .map(([key]) => key)
            .join(', ')}`,
        ]
  const env = Object.fromEntries(kept.map(([key, value]) => [key, variables.ofEnv(name, key, value)]))
  const { args, replaced } = variables.ofArguments(name, launch.args)
  const remarks = [...notes, ...launch.notes, ...dropped, ...(replaced ? [argumentNote] : [])]
  if (launch.kind === 'program') {
    const [command = launch.command] = variables.ofArguments(name, [launch.command]).args
    return complete(context, { transport: 'stdio', command, args: [...args], env }, remarks)
  }
  const bin = launch.bin === undefined ? [] : [launch.kind === 'oci' ? '--entrypoint' : '--bin', launch.bin]
  const words = [
    launch.package ?? '',
    ...bin,
    ...flagsOf('arg', args),
    ...flagsOf('env', pairsOf(env)),
    ...flagsOf('volume', launch.volumes),
  ]
  const next = `svcctl mcp pack ${quoteWords(words)} > ${quoteWords([`${name}.json`])}`
  return { becomes: launch.kind, ...(launch.package === undefined ? {} : { package: launch.package }), notes: remarks, next }
}

const optionNotes = (definition: Json): string[] => [
  ...(definition['disabled'] === true || definition['enabled'] === false ? ['disabled in the client'] : []),
  ...['cwd', 'envFile'].flatMap((field) => (definition[field] === undefined ? [] : [`left out: ${field}`])),
]

const judge = (context: Context, definition: unknown): Outcome => {
  if (!isObject(definition)) return refused('expected an object, got something else')
  const { type, command, args, url, serverUrl } = definition
  const notes = optionNotes(definition)
  const address = [url, serverUrl, definition['httpUrl']].find((value): value is string => typeof value === 'string')
  if (address !== undefined && command === undefined) {
    if (type === 'sse')
      return refused('the catalog has no servers of the older SSE transport: use the address of its streamable HTTP endpoint')
    return remote(context, { url: address, headers: textMap(definition['headers']), notes })
  }
  const words = args === undefined ? [] : texts(args)
  if (typeof command !== 'string' || command.trim() === '') return refused('expected a command or a url, got neither')
  if (words === undefined) return refused('expected args to be a list of texts')
  const launch = readLaunch({ command, args: words })
  const proxied =
    launch.kind === 'npm' && launch.package?.startsWith('npm:mcp-remote@') === true ? throughProxy(context, launch) : undefined
  return proxied ?? local(context, { launch, given: textMap(definition['env']), notes })
}

/** Distinct from all in `taken` without case. */
const nameFor = (wanted: string, taken: readonly string[]): string => {
  const plain = wanted
    .replaceAll(/[^A-Za-z0-9_.-]+/g, '-')
    .replaceAll(/_{2,}/g, '_')
    .replace(/^[^A-Za-z0-9]+/, '')
    .replace(/-+$/, '')
    .slice(0, 56)
  for (let count = 1; ; count += 1) {
    const name = `${plain === '' ? 'server' : plain}${count === 1 ? '' : `-${count}`}`
    if (v.is(ServerName, name) && !taken.some((other) => isSameServer(other, name))) return name
  }
}

const variablesIn = ({ entry, next = '' }: Outcome): string[] =>
  [...new Set([...`${JSON.stringify(entry ?? {})} ${next}`.matchAll(/\$\{([A-Za-z_]\w*)\}/g)].map(([, name]) => name ?? ''))].toSorted()

const keyOf = ({ name, definition }: ClientServer): string => JSON.stringify([name, definition])

/** One proposal a server; a server that several files configure alike is one. `group`: in the commands. */
export const propose = (servers: readonly ClientServer[], group: string): Proposal[] => {
  const variables = new Variables()
  const alike = Map.groupBy(servers, keyOf)
  const taken: string[] = []
  return [...alike.values()].flatMap((same) => {
    const [first] = same
    if (first === undefined) return []
    const name = nameFor(first.name, taken)
    taken.push(name)
    const outcome = judge({ name, group, variables }, first.definition)
    const from = same.map(({ client, path, name: configured }) => ({ client, path, name: configured }))
    return { name, from, ...outcome, variables: variablesIn(outcome) }
  })
}
