// One power of an agent: its name, its terms, and what about it deserves a second look.
import type { Power, PowerArea, PowerMark } from '@gatehouse/contracts'
import { Untrusted } from '../../parts/untrusted.tsx'

export const areaTitles: Readonly<Record<PowerArea, string>> = {
  model: 'Model',
  tool: 'Built-in tools',
  'server-tool': 'Tools of servers',
  'provider-tool': 'Tools at the provider of the model',
  mount: 'Paths of the host',
  package: 'Packages',
  channel: 'Addresses at which it listens',
  member: 'People who may talk to it',
  limit: 'Limits',
}

const marks: Readonly<Record<PowerMark, readonly [text: string, tone: string]>> = {
  destructive: ['destructive', 'bad'],
  'read-only': ['only reads', 'good'],
  writes: ['may change it', 'bad'],
  'runs-programs': ['runs programs', 'bad'],
  every: ['every tool, also later ones', 'bad'],
  undeclared: ['not declared now', 'warn'],
  'server-gone': ['server is not in the catalog', 'warn'],
  anybody: ['strangers may speak to it', 'bad'],
}

export const PowerName = ({ power: { name, detail, marks: own } }: { readonly power: Power }) => (
  <>
    <code>
      <Untrusted text={name} />
    </code>
    {detail !== undefined && (
      <span class="soft">
        {' '}
        <Untrusted text={detail} />
      </span>
    )}
    {own.map((mark) => (
      <span key={mark} class={`tag ${marks[mark][1]}`}>
        {marks[mark][0]}
      </span>
    ))}
  </>
)
