// What a person reads once the unit is ready: where it is, what it runs in, what to try.
import { demoToken, type Health } from '@gatehouse/contracts'
import type { Plan } from './plan/plan.ts'

export interface Announcement {
  readonly plan: Plan
  /** Facts of the runner, once it has chosen a driver. */
  readonly runner: Health | undefined
  /** What a person types for svcctl. */
  readonly svcctl: string
}

const sandboxOf = ({ runner }: Announcement): string => {
  const { sandbox, driver, reason, missing } = runner?.facts ?? {}
  if (typeof driver !== 'string') return 'not chosen yet'
  if (sandbox !== 'ok') return typeof reason === 'string' ? `${String(sandbox)}: ${reason}` : String(sandbox)
  return Array.isArray(missing) && missing.length > 0 ? `${driver} (missing here: ${missing.join(', ')})` : driver
}

export const addressOf = ({ host, port }: Plan): string => `http://${host.includes(':') ? `[${host}]` : host}:${port}`

/** Plain lines for `--dev` and `--demo`. */
export const announce = (announcement: Announcement): string => {
  const { plan, svcctl } = announcement
  const address = addressOf(plan)
  const ctl = `${svcctl}${plan.port === 8787 ? '' : ` --addr ${address}`}`
  const group = plan.seed ?? 'GROUP'
  const lines = [
    '',
    plan.open ? 'Gatehouse runs. Development mode: no token is asked for, so keep it on this machine.' : 'Gatehouse runs.',
    '',
    `  address   ${address}`,
    `  console   ${address}/ui/`,
    `  sandbox   ${sandboxOf(announcement)}`,
    `  state     ${plan.stateDir}`,
    ...(plan.mode === 'demo' ? [`  token     ${demoToken} (everybody knows it: for a demonstration alone)`] : []),
    '',
    'Try, in another terminal:',
    '',
    ...(plan.mode === 'demo' ? [`  export SERVICE_API_TOKEN=${demoToken}`] : []),
    `  ${ctl} chat ${group} hello`,
    ...(plan.catalog === null
      ? [`  ${ctl} change submit persona --group ${group} --text 'Be brief.'`]
      : [`  ${ctl} change submit mcp_access --group ${group} --server sample --tool echo`]),
    `  ${ctl} change pending`,
    '',
  ]
  return `${lines.join('\n')}\n`
}

/** For `--dev` and `--demo` where a unit has started and cannot serve. */
export const announceNotReady = (plan: Plan, degraded: readonly string[]): string =>
  [
    '',
    'Gatehouse has started, but it is not ready: it decides nothing and allows no call.',
    '',
    `  address   ${addressOf(plan)} (/readyz answers 503)`,
    `  broken    ${degraded.join(', ')}`,
    `  state     ${plan.stateDir}`,
    '',
    'The log lines above say why. The unit tries again by itself and says here when it is ready.',
    '',
    '',
  ].join('\n')
