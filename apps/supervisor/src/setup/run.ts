// `gatehouse setup`: what needs root, made once; a table before and one after.
import { stat } from 'node:fs/promises'
import { exits } from '@gatehouse/contracts'
import { Refusal } from '@gatehouse/kernel'
import { parseSetup, type SetupArguments, setupHelp } from './arguments.ts'
import { lookAll, makeAll, removeAll, renderTable, type Row } from './perform.ts'
import type { Site, Step } from './step.ts'
import { steps as allSteps } from './steps/index.ts'

export interface SetupOptions {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly write: (text: string) => void
  /** In tests: other places than those of the host, and whether we are root. */
  readonly site?: Partial<Pick<Site, 'etc' | 'dev'>>
  readonly isRoot?: boolean
  readonly steps?: readonly Step[]
}

const needRoot = (isRoot: boolean): void => {
  if (isRoot) return
  throw new Refusal(exits.noPermission, { detail: 'expected to be root, got another user', hint: 'run it by sudo, or look with --dry-run' })
}

/** Whoever leaves it out, such as to ask for one more disk, takes nothing from a unit that is there. */
const ownerOf = async ({ owner, stateDir, userNamespace }: Omit<SetupArguments, 'act'>): Promise<Site['owner']> => {
  const there = await stat(stateDir).catch(() => undefined)
  const { uid, gid } = owner ?? there ?? { uid: 0, gid: 0 }
  if (uid !== 0 || userNamespace === null) return { uid, gid }
  throw new Refusal(exits.configuration, {
    detail: '--user-namespace: expected --owner with another uid than root, got 0',
    hint: 'see gatehouse setup --help',
  })
}

const lacks = (rows: readonly Row[]): number =>
  rows.every(({ condition }) => condition.state === 'ready') ? exits.stopped : exits.configuration

export const runSetup = async (argv: readonly string[], options: SetupOptions): Promise<number> => {
  const { env, write, isRoot = process.geteuid?.() === 0 } = options
  const { act, ...wanted } = parseSetup(argv, env)
  if (act === 'help') {
    write(setupHelp)
    return exits.stopped
  }
  const owner = act === 'remove' ? { uid: 0, gid: 0 } : await ownerOf(wanted)
  const site: Site = { etc: '/etc', dev: '/dev', ...options.site, ...wanted, owner }
  if (act !== 'show') needRoot(isRoot)
  const steps = (options.steps ?? allSteps).filter((step) => act === 'remove' || step.isWanted?.(site) !== false)
  const before = await lookAll(steps, site)
  write(renderTable(act === 'show' ? 'now:' : 'before:', before))
  if (act === 'show') return lacks(before)
  if (act === 'remove') {
    const left = await removeAll(steps, site)
    write(renderTable('after:', await lookAll(steps, site)))
    for (const line of left) write(`${line}\n`)
    return exits.stopped
  }
  await makeAll(steps, site)
  const after = await lookAll(steps, site)
  write(renderTable('after:', after))
  return lacks(after)
}
