// The flags of a catalog entry.
import { Flags } from '@oclif/core'

const repeated = { multiple: true, multipleNonGreedy: true } as const

export const entryFlags = {
  command: Flags.string({ summary: 'Program of a local server.', helpValue: 'PROGRAM', exclusive: ['url'] }),
  arg: Flags.string({
    summary: 'Argument of the program; may be given several times, --arg=-x for one that begins with a dash.',
    helpValue: 'TEXT',
    ...repeated,
  }),
  env: Flags.string({ summary: 'Variable of the program; may be given several times.', helpValue: 'NAME=VALUE', ...repeated }),
  image: Flags.string({ summary: 'Container image that the program runs in.', helpValue: 'REF' }),
  volume: Flags.string({
    summary: 'Path of the host that the program is lent in its container; may be given several times.',
    helpValue: 'SOURCE:TARGET[:ro|rw]',
    ...repeated,
  }),
  data: Flags.boolean({ summary: 'Give the program a private directory at /data that outlives its container.' }),
  url: Flags.string({ summary: 'Address of a remote server; https, or http on this machine.', helpValue: 'URL' }),
  'own-per-session': Flags.boolean({ summary: 'Give each session a connection, and a local server a process, of its own.' }),
  header: Flags.string({ summary: 'Header of each request; may be given several times.', helpValue: 'NAME=VALUE', ...repeated }),
}
