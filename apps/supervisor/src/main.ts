// The deployable: reads its settings, starts the unit, and ends with the exit code that says why.
import { EventEmitter } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { exits } from '@gatehouse/contracts'
import { createLogger, createMetrics, isRefusal, type Logger, wallTime } from '@gatehouse/kernel'
import { awaitCredential } from './await-credential.ts'
import { createPrinter, createRedactor, type Printer, type Redactor } from './log-printer.ts'
import { isOffline, runOffline } from './offline.ts'
import { decidePlan } from './plan/decide.ts'
import { help } from './plan/help.ts'
import type { Plan } from './plan/plan.ts'
import { withCredentials } from './plan/variables.ts'
import { tellReady } from './ready.ts'
import { runSetup } from './setup/run.ts'
import { startUnit } from './unit.ts'
import { enterUserNamespace } from './user-namespace.ts'

import manifest from '../package.json' with { type: 'json' }

export const { version } = manifest

const argv = process.argv.slice(2)
const write = (text: string): void => void process.stdout.write(text)
const ended = Promise.withResolvers<void>()
let isEnding = false
const end = (): void => {
  isEnding = true
  ended.resolve()
}
/** Also when the terminal is gone, which takes the output along: neither ends the unit. */
const hungUp = new EventEmitter<{ signal: [] }>()
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)
const hearSignals = (): void => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, end)
  process.on('SIGHUP', () => hungUp.emit('signal'))
}

/** The bundles lie beside this one; in a checkout below `dist`. */
const release = existsSync(join(import.meta.dirname, 'gateway.mjs')) ? import.meta.dirname : join(import.meta.dirname, '../../../dist')

/** A script of the checkout was run: nothing is on the PATH of the terminal that it was typed in. */
const svcctl = process.env['npm_lifecycle_event'] === undefined ? 'svcctl' : 'npx pnpm@12 svcctl'

const warnOfIsolation = (plan: Plan, log: Logger): void => {
  if (plan.catalog === null || plan.isolation !== 'none') return
  const message = 'local tool servers run unisolated, as plain processes of this host: for development only'
  if (plan.mode === 'dev') log.warn(message)
  else log.error(message)
}

interface Printing {
  readonly redactor: Redactor
  readonly printer: Printer
}

const serve = async (plan: Plan, warnings: readonly string[], { redactor, printer }: Printing): Promise<void> => {
  const log = createLogger({ process: 'supervisor', level: plan.logLevel, write: (line) => printer.line('supervisor', line) })
  for (const warning of warnings) log.warn(warning)
  warnOfIsolation(plan, log)
  const metrics = createMetrics('supervisor')
  metrics.gauge('build_info').set({ version }, 1)
  const unit = await startUnit({ plan, env: process.env, release, log, metrics, printer, redactor, ended: ended.promise })
  hungUp.on('signal', () => {
    log.info('SIGHUP: reloading catalog')
    unit.reload()
  })
  try {
    const told = tellReady({ unit, plan, log, printer, write, svcctl, isEnding: () => isEnding })
    await Promise.race([told.then(() => ended.promise), ended.promise, unit.failed])
  } finally {
    log.info('stopping')
    await unit.stop()
  }
}

const startIt = async (): Promise<void> => {
  // Signals received before the process replaces itself are lost, so until then they have their default effect and end it.
  await enterUserNamespace({
    pin: process.env['SERVICE_USER_NAMESPACE'],
    command: [process.execPath, ...process.execArgv, ...process.argv.slice(1)],
    become: (file, args) => process.execve?.(file, [file, ...args]),
  })
  hearSignals()
  const { plan, warnings } = decidePlan(argv, withCredentials(process.env), version)
  process.umask(0o077)
  const redactor = createRedactor()
  await serve(plan, warnings, { redactor, printer: createPrinter({ format: plan.logFormat, redactor, write }) })
}

const isAside = (): boolean => argv[0] === 'setup' || argv[0] === 'await-credential' || isOffline(argv)

/** `gatehouse ctl …` is svcctl under another name: the same program, which sets the exit code. */
const runControl = async (): Promise<number> => {
  process.argv.splice(2, 1)
  await import(pathToFileURL(join(release, 'svcctl/svcctl.mjs')).href)
  return Number(process.exitCode ?? exits.stopped)
}

const run = async (): Promise<number> => {
  if (argv[0] === 'ctl') return await runControl()
  if (isAside()) hearSignals()
  if (argv[0] === 'setup') return runSetup(argv.slice(1), { env: process.env, write })
  if (argv[0] === 'await-credential') await awaitCredential({ env: process.env, stopped: ended.promise })
  else if (isOffline(argv)) await runOffline({ argv, env: process.env, release, write })
  else if (argv.includes('--help')) write(help)
  else if (argv.includes('--version')) write(`${version}\n`)
  else await startIt()
  return exits.stopped
}

const explain = (error: unknown): number => {
  const record = isRefusal(error)
    ? { message: error.detail, ...(error.hint === undefined ? {} : { hint: error.hint }) }
    : { message: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  const line = { time: wallTime(), level: 'error', process: 'supervisor', ...record }
  const json = process.env['SERVICE_LOG_FORMAT'] === 'json'
  process.stderr.write(
    json ? `${JSON.stringify(line)}\n` : `gatehouse: ${record.message}\n${'hint' in record ? `  try: ${record.hint}\n` : ''}`,
  )
  return isRefusal(error) ? error.exit : exits.childCannotStart
}

process.exitCode = await run().catch(explain)
process.exit()
