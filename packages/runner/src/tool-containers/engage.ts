// The container engine of the tool servers: chosen once it is there, and looked for again while it is not.
import { limits, type RunnerBoot } from '@gatehouse/contracts'
import { chooseToolEngine, type ToolEngine } from '@gatehouse/engine'
import type { Logger } from '@gatehouse/kernel'
import type { Leftovers } from '../leftovers/leftovers.ts'

export type ReadyEngine = { readonly engine: ToolEngine; readonly profile: string } | { readonly refused: string }

type Wanted = NonNullable<RunnerBoot['toolContainers']>

export interface EngageOptions {
  readonly wanted: Pick<Wanted, 'engine' | 'runtime'>
  readonly mode: RunnerBoot['mode']
  readonly leftovers: Leftovers
  /** Where the system call filter is written. */
  readonly profile: string
  readonly log: Logger
}

const weak = ({ name }: ToolEngine): string =>
  `${name} does not bound memory, processes and processors here, so nothing runs by it outside --dev and --demo: let it use cgroups`

/** What an earlier start left is gone before the first container of this one. */
const engage = async ({ wanted, mode, leftovers, profile, log }: EngageOptions): Promise<ReadyEngine> => {
  await leftovers.remove()
  const chosen = await chooseToolEngine(wanted.engine, wanted.runtime)
  if ('refused' in chosen) return chosen
  const { engine } = chosen
  if (!engine.limits && mode === 'production') return { refused: weak(engine) }
  await engine.writeProfile(profile)
  await leftovers.engines.add(engine.name)
  let strays = 0
  for (const unitId of leftovers.unitIds) strays += await engine.removeStrays(unitId)
  if (strays > 0) log.info('tool servers of an earlier start removed', { engine: engine.name, strays })
  log.info('local tool servers run in containers', { engine: engine.name, runtime: wanted.runtime, limits: engine.limits })
  return { engine, profile }
}

export interface Engagement {
  /** Never rejects. */
  engaged(): Promise<ReadyEngine>
  /** What is known now; undefined while it is being looked for. */
  current(): ReadyEngine | undefined
}

export const createEngagement = (options: EngageOptions): Engagement => {
  let current: ReadyEngine | undefined
  let running: Promise<ReadyEngine> | undefined
  let triedAt = 0
  const attempt = async (): Promise<ReadyEngine> => {
    triedAt = performance.now()
    current = await engage(options).catch((error: unknown): ReadyEngine => ({
      refused: error instanceof Error ? error.message : String(error),
    }))
    // A unit of remote servers alone needs none.
    if ('refused' in current) options.log.warn('local tool servers cannot run in containers', { reason: current.refused })
    return current
  }
  const engaged = (): Promise<ReadyEngine> => {
    const isDue = current === undefined || ('refused' in current && performance.now() - triedAt > limits.upstreamRetryMost)
    if (isDue) running ??= attempt().finally(() => (running = undefined))
    return running ?? Promise.resolve(current ?? { refused: 'no container engine was looked for' })
  }
  void engaged()
  return { engaged, current: () => current }
}
