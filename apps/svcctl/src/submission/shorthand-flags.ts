// The flags that spare a JSON, on the command line.
import { channels } from '@gatehouse/contracts'
import { Flags } from '@oclif/core'
import { entryFlags } from '../catalog/entry.ts'
import { timeFlag } from '../input/time.ts'

const instead = { exclusive: ['after', 'file'] }
const repeated = { multiple: true, multipleNonGreedy: true } as const

export const wiringFlags = {
  channel: Flags.string({ summary: 'Channel of a wiring.', options: [...channels], ...instead }),
  address: Flags.string({ summary: 'Place of the channel, as the channel names it.', helpValue: 'PLACE', ...instead }),
  engage: Flags.string({ summary: 'When the agent answers; default mention.', options: ['all', 'mention', 'pattern'], ...instead }),
  pattern: Flags.string({ summary: 'Regular expression, for --engage pattern.', helpValue: 'REGEXP', ...instead }),
  session: Flags.string({ summary: 'People who share a session; default shared.', options: ['shared', 'thread', 'person'], ...instead }),
}

export const grantFlags = {
  tool: Flags.string({
    summary: 'Tool of the server; repeatable.',
    helpValue: 'NAME',
    ...repeated,
    exclusive: ['after', 'file', 'all-tools'],
  }),
  'all-tools': Flags.boolean({ summary: 'Every tool that the server declares, now and later.', ...instead }),
  expires: timeFlag('End of the grant, such as 7d or 2027-01-31.', { flag: '--expires', direction: 'future' }, instead),
  'max-calls': Flags.integer({ summary: 'Maximum number of calls.', helpValue: 'NUMBER', min: 1, ...instead }),
}

export const undeclaredFlag = Flags.boolean({ summary: 'Submit it even if the server does not declare a tool that it names.' })

export const shorthandFlags = {
  text: Flags.string({ summary: 'Instructions of a persona.', helpValue: 'TEXT', ...instead }),
  name: Flags.string({ summary: 'Name of a new agent group, default its id; or of a new server.', helpValue: 'NAME', ...instead }),
  agent: Flags.string({ summary: 'Agent of a new group.', options: ['mock', 'model', 'external'], ...instead }),
  model: Flags.string({ summary: 'Model of a group.', helpValue: 'PROVIDER/ID', ...instead }),
  enable: Flags.string({ summary: 'Built-in tool that is on; repeatable.', helpValue: 'TOOL', ...repeated, ...instead }),
  member: Flags.string({ summary: 'Member; repeatable.', helpValue: 'CHANNEL:USER', ...repeated, ...instead }),
  limit: Flags.string({ summary: 'Limit of a group; repeatable.', helpValue: 'NAME=NUMBER', ...repeated, ...instead }),
  'provider-tool': Flags.string({
    summary: 'Tool at the provider; repeatable.',
    helpValue: 'NAME',
    ...repeated,
    ...instead,
  }),
  npm: Flags.string({ summary: 'npm package; repeatable.', helpValue: 'NAME@VERSION', ...repeated, ...instead }),
  mount: Flags.string({ summary: 'Mount; repeatable.', helpValue: 'SOURCE:TARGET[:rw]', ...repeated, ...instead }),
  remove: Flags.boolean({ summary: 'Take a wiring away.', ...instead }),
  server: Flags.string({ summary: 'Tool server.', helpValue: 'NAME', ...instead }),
  ...wiringFlags,
  ...grantFlags,
  ...entryFlags,
}
