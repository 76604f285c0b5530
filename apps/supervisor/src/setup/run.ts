// `gatehouse setup`: creates what needs root, and prints a table before and after.
import { rm, rmdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { exits } from '@gatehouse/contracts'
import { isRefusal, type Lock, lockWriter, makeDirectory, Refusal } from '@gatehouse/kernel'
import { controlGroups } from '../setup-steps/control-groups.ts'
import { groupDisks } from '../setup-steps/group-disks.ts'
import { hostIds } from '../setup-steps/host-ids.ts'
import { loopDevices, programs, stateDirectory } from '../setup-steps/host.ts'
import { type Condition, reasonOf, type Site, type Step } from '../setup-steps/step.ts'
import { userNamespace } from '../setup-steps/user-namespace.ts'
import { parseSetup, type SetupArguments, setupHelp } from './arguments.ts'

const allSteps: readonly Step[] = [programs, loopDevices, hostIds, userNamespace, controlGroups, stateDirectory, groupDisks]

/** Looks at every step, makes or removes, and looks again. */
interface Row {
  readonly name: string
  readonly condition: Condition
}

const lookAll = async (steps: readonly Step[], site: Site): Promise<Row[]> => {
  const rows: Row[] = []
  for (const step of steps) rows.push({ name: step.name, condition: await step.look(site) })
  return rows
}

/** What could not be made, in words: it keeps nothing from the others. */
const makeAll = async (steps: readonly Step[], site: Site): Promise<string[]> => {
  const faults: string[] = []
  for (const step of steps) {
    const { state } = await step.look(site)
    const act = state === 'lacking' ? step.make(site) : state === 'blocked' ? step.withdraw?.(site) : undefined
    await act?.catch((error: unknown) => faults.push(`${step.name} was not made: ${reasonOf(error)}`))
  }
  return faults
}

/** What stays, in words. */
const removeAll = async (steps: readonly Step[], site: Site): Promise<string[]> => {
  const left: string[] = []
  for (const step of steps.toReversed()) {
    const stays = await step.remove(site)
    if (stays !== undefined) left.push(stays)
  }
  return left
}

const renderTable = (title: string, rows: readonly Row[]): string =>
  [title, ...rows.map(({ name, condition }) => `  ${name.padEnd(16)} ${condition.state.padEnd(8)} ${condition.says}`), ''].join('\n')

interface SetupOptions {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly write: (text: string) => void
  /** In tests: other places than those of the host, and whether we are root. */
  readonly site?: Partial<Pick<Site, 'etc' | 'dev' | 'run'>>
  readonly isRoot?: boolean
  readonly steps?: readonly Step[]
}

const needRoot = (isRoot: boolean): void => {
  if (isRoot) return
  throw new Refusal(exits.noPermission, { detail: 'expected to be root, got another user', hint: 'run it by sudo, or look with --dry-run' })
}

const refuse = (detail: string): Refusal => new Refusal(exits.configuration, { detail, hint: 'see gatehouse setup --help' })

/** The owner of an existing state directory is kept if no owner is given, for example when only a disk is added. */
const ownerOf = async ({ owner, stateDir, ...wanted }: Omit<SetupArguments, 'act'>): Promise<Site['owner']> => {
  const there = await stat(stateDir).catch(() => undefined)
  if (owner === null && there === undefined && wanted.disks.length > 0)
    throw refuse(`--disks: expected --owner where there is no state directory that says whose they are, got none at ${stateDir}`)
  const { uid, gid } = owner ?? there ?? { uid: 0, gid: 0 }
  if (uid === 0 && wanted.userNamespace !== null) throw refuse('--user-namespace: expected --owner with another uid than root, got 0')
  return { uid, gid }
}

const lockName = 'setup'

/** Two at once would make the same disks. */
const lock = async ({ run }: Site): Promise<Lock> => {
  await makeDirectory(run, 0o755)
  return lockWriter(run, lockName).catch((error: unknown) => {
    if (!isRefusal(error) || error.exit !== exits.stateInUse) throw error
    throw new Refusal(exits.stateInUse, {
      detail: 'expected to be the only gatehouse setup on this host, got another one at work',
      hint: 'wait for it: systemctl status gatehouse-sandboxes',
      cause: error,
    })
  })
}

const lacks = (rows: readonly Row[]): number =>
  rows.every(({ condition }) => condition.state === 'ready') ? exits.stopped : exits.configuration

const remove = async (steps: readonly Step[], site: Site, write: SetupOptions['write']): Promise<void> => {
  const left = await removeAll(steps, site)
  write(renderTable('after:', await lookAll(steps, site)))
  for (const line of left) write(`${line}\n`)
}

/** 70 where something failed that may go well the next time. */
const make = async (steps: readonly Step[], site: Site, write: SetupOptions['write']): Promise<number> => {
  const faults = await makeAll(steps, site)
  const after = await lookAll(steps, site)
  write(renderTable('after:', after))
  for (const line of faults) write(`${line}\n`)
  return faults.length > 0 ? exits.childCannotStart : lacks(after)
}

export const runSetup = async (argv: readonly string[], options: SetupOptions): Promise<number> => {
  const { env, write, isRoot = process.geteuid?.() === 0 } = options
  const { act, ...wanted } = parseSetup(argv, env)
  if (act === 'help') {
    write(setupHelp)
    return exits.stopped
  }
  const owner = act === 'remove' ? { uid: 0, gid: 0 } : await ownerOf(wanted)
  const site: Site = { etc: '/etc', dev: '/dev', run: '/run/gatehouse-setup', ...options.site, ...wanted, owner }
  if (act !== 'show') needRoot(isRoot)
  const steps = (options.steps ?? allSteps).filter((step) => act === 'remove' || step.isWanted?.(site) !== false)
  const held = act === 'show' ? undefined : await lock(site)
  try {
    const before = await lookAll(steps, site)
    write(renderTable(act === 'show' ? 'now:' : 'before:', before))
    if (act === 'show') return lacks(before)
    if (act === 'make') return await make(steps, site, write)
    await remove(steps, site, write)
    await rm(join(site.run, 'locks'), { recursive: true, force: true })
    return exits.stopped
  } finally {
    await held?.release()
    if (act === 'remove') await rmdir(site.run).catch(() => undefined)
  }
}
