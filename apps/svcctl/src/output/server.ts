// One tool server for people: its entry, its state, who may use it.
import type { GrantView, ServerView } from '@gatehouse/contracts'
import { visible } from './visible.ts'

const field = (name: string, value: string | undefined): string[] =>
  value === undefined || value === '' ? [] : [`${name.padEnd(10)} ${visible(value)}`]

const pairs = (values: Readonly<Record<string, string>>): string =>
  Object.entries(values)
    .map(([name, value]) => `${name}=${value}`)
    .join('  ')

const entryLines = ({ entry }: ServerView): string[] =>
  entry.transport === 'stdio'
    ? [...field('command', [entry.command, ...entry.args].join(' ')), ...field('image', entry.image), ...field('env', pairs(entry.env))]
    : [...field('url', entry.url), ...field('headers', pairs(entry.headers))]

export const renderServer = (server: ServerView, grants: readonly GrantView[]): string => {
  const { state } = server
  const lines = [
    ...field('name', server.name),
    ...field('transport', server.entry.transport),
    ...entryLines(server),
    ...field('state', state === undefined ? 'unknown' : state.status),
    ...field('failure', state?.lastError),
    ...field('tools', state?.tools === undefined ? undefined : String(state.tools)),
    ...field('digest', server.digest),
    ...field(
      'granted',
      grants.length === 0
        ? 'to nobody'
        : grants
            .map(({ agentGroupID, tools, state: of }) => `${agentGroupID} (${tools.length === 0 ? 'every tool' : tools.join(', ')}, ${of})`)
            .join('; '),
    ),
  ]
  return `${lines.join('\n')}\n`
}
