// Announces that the unit is ready, once it serves, and prints a new admin token only then.
import { demoToken, type Health, limits } from '@gatehouse/contracts'
import { type Logger, waitFor } from '@gatehouse/kernel'
import type { Printer } from './log-printer.ts'
import type { Plan } from './plan/plan.ts'
import type { RunningUnit } from './unit.ts'

/** What a person reads once the unit is ready: where it is, what it runs in, what to try. */
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

const addressOf = ({ host, port }: Plan): string => `http://${host.includes(':') ? `[${host}]` : host}:${port}`

/** Plain lines for `--dev` and `--demo`. */
const announce = (announcement: Announcement): string => {
  const { plan, svcctl } = announcement
  const address = addressOf(plan)
  const ctl = `${svcctl}${plan.port === 8787 ? '' : ` --addr ${address}`}`
  const group = plan.seed ?? 'GROUP'
  const lines = [
    '',
    plan.open ? 'Gatehouse runs. Development mode: no token required, so keep it on this machine.' : 'Gatehouse runs.',
    '',
    `  address   ${address}`,
    `  console   ${address}/ui/`,
    `  sandbox   ${sandboxOf(announcement)}`,
    `  state     ${plan.stateDir}`,
    ...(plan.mode === 'demo' ? [`  token     ${demoToken} (public; demo use only)`] : []),
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
const announceNotReady = (plan: Plan, degraded: readonly string[]): string =>
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

export interface ReadyOptions {
  readonly unit: RunningUnit
  readonly plan: Plan
  readonly log: Logger
  readonly printer: Printer
  /** Plain text for people. */
  readonly write: (text: string) => void
  /** What a person types for svcctl. */
  readonly svcctl: string
  readonly isEnding: () => boolean
}

const never = Number.MAX_SAFE_INTEGER

/** The rule of `/readyz`. The half of a split unit that has no gateway serves when its process does. */
const isServing = (gateway: Health | undefined, { split }: Plan): boolean =>
  split?.only === 'runner' || (gateway !== undefined && gateway.status !== 'failed')

const toPeople = ({ plan, write }: ReadyOptions, text: () => string): void => {
  if (plan.mode !== 'production' && plan.logFormat === 'plain') write(text())
}

/** Says why the unit does not serve, once, and waits until it does. */
const untilServing = async (options: ReadyOptions): Promise<void> => {
  const { unit, plan, log, isEnding } = options
  let wasSaid = false
  const look = async (): Promise<boolean> => {
    if (isEnding()) return true
    const gateway = await unit.status.health('gateway')
    if (isServing(gateway, plan)) return true
    if (!wasSaid && gateway !== undefined) {
      wasSaid = true
      const degraded = gateway.degraded.length === 0 ? ['gateway'] : gateway.degraded
      log.error('started, but not ready: /readyz answers 503', { address: addressOf(plan), degraded })
      toPeople(options, () => announceNotReady(plan, degraded))
    }
    return false
  }
  await waitFor(look, { what: 'a unit that serves', deadline: never, every: 200 })
}

/** The driver is chosen beside the start; people wait for it a little, probes do not. */
const chosenDriver = async ({ status }: RunningUnit): Promise<Health | undefined> => {
  try {
    return await waitFor(
      async () => {
        const health = await status.health('runner')
        return health?.facts['chosen'] === true ? health : undefined
      },
      { what: 'a sandbox driver', deadline: limits.connectTime },
    )
  } catch {
    return undefined
  }
}

const showToken = async ({ unit, log, printer }: ReadyOptions): Promise<void> => {
  try {
    await unit.newToken?.show((token) => printer.unredacted({ message: 'admin token minted; it is shown this once', token }))
  } catch (error) {
    log.warn('could not record that the admin token was shown: the next start will show it again', { error })
  }
}

/** Resolves when all is said, or the unit ends. */
export const tellReady = async (options: ReadyOptions): Promise<void> => {
  const { unit, plan, log, svcctl, isEnding } = options
  await untilServing(options)
  if (isEnding()) return
  await showToken(options)
  const runner = await chosenDriver(unit)
  if (isEnding()) return
  log.info('ready', {
    ...(plan.split === null ? {} : { only: plan.split.only }),
    ...(plan.split?.only === 'runner' ? {} : { address: addressOf(plan) }),
    mode: plan.mode,
    driver: runner?.facts['driver'],
    sandbox: runner?.facts['sandbox'],
    reason: runner?.facts['reason'],
    missing: runner?.facts['missing'],
    state: plan.stateDir,
  })
  toPeople(options, () => announce({ plan, runner, svcctl }))
}
