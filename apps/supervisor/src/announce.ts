// What a person reads once the unit is ready: where it is, what it runs in, what to try.
import type { Health } from '@gatehouse/contracts'
import type { Plan } from './plan/plan.ts'

export interface Announcement {
  readonly plan: Plan
  /** Facts of the runner, once it has chosen a driver. */
  readonly runner: Health | undefined
}

const sandboxOf = ({ plan, runner }: Announcement): string => {
  if (plan.sandbox === 'off') return 'off: this unit launches no sandboxes'
  const facts = runner?.facts ?? {}
  if (typeof facts['refused'] === 'string') return `refused: ${facts['refused']}`
  const missing = Array.isArray(facts['missing']) && facts['missing'].length > 0 ? ` (missing here: ${facts['missing'].join(', ')})` : ''
  return typeof facts['driver'] === 'string' ? `${facts['driver']}${missing}` : 'not chosen yet'
}

export const addressOf = ({ host, port }: Plan): string => `http://${host.includes(':') ? `[${host}]` : host}:${port}`

/** Plain lines for `--dev` and `--demo`. */
export const announce = (announcement: Announcement): string => {
  const { plan } = announcement
  const address = addressOf(plan)
  const ctl = `npx pnpm@12 svcctl${plan.port === 8787 ? '' : ` --addr ${address}`}`
  const group = plan.seed ?? 'GROUP'
  const lines = [
    '',
    plan.open ? 'Gatehouse runs. Development mode: no token is asked for, so keep it on this machine.' : 'Gatehouse runs.',
    '',
    `  address   ${address}`,
    `  console   ${address}/ui/`,
    `  sandbox   ${sandboxOf(announcement)}`,
    `  state     ${plan.stateDir}`,
    '',
    'Try, in another terminal:',
    '',
    `  ${ctl} chat ${group} hello`,
    ...(plan.catalog === null
      ? [`  ${ctl} change submit persona --group ${group} --text 'Be brief.'`]
      : [`  ${ctl} change submit mcp_access --group ${group} --server sample --tool echo`]),
    `  ${ctl} change pending`,
    '',
  ]
  return `${lines.join('\n')}\n`
}
