// svcctl status
import { type Freeze, type ProcessState, type SessionStatus, Status } from '@gatehouse/contracts'
import { age, visible } from '../output/values.ts'
import { type Column, table, wrap } from '../output/table.ts'
import { UnitCommand } from '../unit-command.ts'

const columns: readonly Column<ProcessState>[] = [
  { name: 'PROCESS', value: (process) => process.name },
  { name: 'STATE', value: (process) => process.state },
  { name: 'PID', value: (process) => String(process.pid ?? '-') },
  { name: 'RESTARTS', value: (process) => String(process.restarts) },
  { name: 'SINCE', value: (process) => (process.since === undefined ? '-' : age(process.since)), plain: (process) => process.since ?? '-' },
]

const postureOf = ({ sandbox }: Status): string => {
  const reason = sandbox.reason === undefined ? '' : `: ${sandbox.reason}`
  const missing = sandbox.missing.length === 0 ? '' : `; missing controls: ${sandbox.missing.join(', ')}`
  const engine = sandbox.driver === 'container' && sandbox.engine !== undefined ? ` (${sandbox.engine})` : ''
  return `${sandbox.driver}${engine} ${sandbox.status}${reason}${missing}`
}

const frozenBy = ({ agentGroupID, reason, by }: Freeze): string => `${agentGroupID ?? 'the whole unit'}, by ${by}: ${reason}`

const parkedBecause = ({ id, agentGroupID, lastExit = 'parked' }: SessionStatus): string =>
  `${id} of ${agentGroupID}: ${lastExit.replace(/^parked: /, '')}`

const clientsOf = ({ external }: Status): string =>
  external.length === 0 ? 'served at /mcp, no group yet' : `served at /mcp; not sandboxed: ${external.join(', ')}`

const facts = (status: Status): (readonly [string, string])[] => [
  ['version', status.version],
  ['mode', status.open ? `${status.mode}, open: no token required` : status.mode],
  ['started', status.startedAt],
  ['sandbox', postureOf(status)],
  ['tools', status.mcp.enabled ? `enabled${status.mcp.isolation === undefined ? '' : `, isolation ${status.mcp.isolation}`}` : 'disabled'],
  ...(status.mcp.endpoint === true ? [['clients', clientsOf(status)] as const] : []),
  ['held', String(status.held)],
  ...status.frozen.map((freeze) => ['frozen', frozenBy(freeze)] as const),
  ...status.parked.map((session) => ['parked', parkedBecause(session)] as const),
  ['degraded', status.degraded.length === 0 ? 'nothing' : status.degraded.join(', ')],
]

export class StatusShow extends UnitCommand<Status> {
  static override summary = 'Show unit status: sandbox, processes, degraded components.'
  static override description = 'Into a pipe: tab-separated.'
  static override result = Status
  static override examples = ['svcctl status', 'svcctl status --json']

  async run(): Promise<Status> {
    const { flags } = await this.parse(StatusShow)
    const client = await this.connect(flags)
    const status = await client.status()
    const line = ([name, value]: readonly [string, string]): string =>
      this.toPeople ? `${name.padEnd(10)}${wrap(visible(value), 10, process.stdout)}` : `${name}\t${visible(value)}`
    this.print(facts(status).map(line).join('\n'))
    if (this.toPeople) this.print('\n')
    this.print(table(columns, status.processes, process.stdout))
    return status
  }
}
