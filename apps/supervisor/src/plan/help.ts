// What `gatehouse --help` prints: its commands, and every setting by its row.
import { allSettings } from './flags.ts'
import type { DocumentedSetting } from './settings/parse.ts'

const width = 120
const indent = 28

const wrap = (text: string): string[] => {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && indent + last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}

/** A name and what it means, the second in a column of its own. */
const entry = (name: string, meaning: string): string => {
  const lines = wrap(meaning)
  const head = `  ${name}`
  const isLong = head.length > indent - 2
  const [first = '', ...rest] = isLong ? ['', ...lines] : lines
  return [`${head.padEnd(isLong ? 0 : indent)}${first}`, ...rest.map((line) => `${' '.repeat(indent)}${line}`)].join('\n')
}

const describe = ({ flag, env, help, without, value, ...row }: DocumentedSetting): string => {
  const absent = without ?? (typeof row.default === 'string' ? row.default : undefined)
  if (flag === undefined) {
    const twin = row.type === 'string' && row.secret === true ? ` (or ${env}_FILE)` : ''
    return entry(env, `${help}${twin}${absent === undefined ? '' : ` [${absent}]`}`)
  }
  return entry(`--${flag}${value === undefined ? '' : ` ${value}`}`, `${help} [${env}${absent === undefined ? '' : `, ${absent}`}]`)
}

/** Flags first, both in the order of their tables. */
const describeGroup = (group: string): string => {
  const rows = allSettings.filter((row) => row.group === group)
  const flags = rows.filter(({ flag }) => flag !== undefined)
  return [`${group}:`, '', ...[...flags, ...rows.filter(({ flag }) => flag === undefined)].map(describe)].join('\n')
}

const groups = [...new Set(allSettings.map(({ group }) => group))]

export const help = `gatehouse: runs AI agents in sealed sandboxes and holds every change to them until a human approves it

  gatehouse [flags]                       a production unit
  gatehouse --dev                         for trying things out: loopback only, no token, a mock agent, a sample server
  gatehouse setup [--help]                prepares what needs root, once for each host
  gatehouse --demo                        a mock agent in a container, with a well-known token, loopback only

  gatehouse ctl COMMAND                   the command line of a running unit: the same program as svcctl

  gatehouse restore FILE                  restores a backup into an empty state directory: --identity FILE or
                                          --passphrase-file FILE opens it
  gatehouse token reset-admin             mints a new admin token, for the owner of the state directory
  gatehouse keys rotate                   makes a new master key, or finishes an interrupted rotation

The last three need the unit stopped, and take --state-dir DIR and SERVICE_MASTER_KEY_FILE.

  gatehouse await-credential              for systemd: ends once a half of a split unit has what it needs

  --help, --version

Each flag has a variable: in brackets, before its default. The other settings have a variable only.

${groups.map(describeGroup).join('\n\n')}

A systemd credential (LoadCredential) that is named like a variable is read in its place.

SIGHUP makes the unit read its catalog again; SIGTERM and SIGINT stop it.

Exit codes: 0 stopped, 69 address in use, 70 a process that cannot start, 75 another unit holds the state,
77 no permission, 78 configuration.

Outside --dev and --demo a sandbox is launched only if every control of the seal is active; svcctl status names what
is missing.

Example: gatehouse --state-dir /var/lib/gatehouse/state --sandbox off
`
