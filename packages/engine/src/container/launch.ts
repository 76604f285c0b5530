// One container, from its command line to its removal.
import { randomBytes } from 'node:crypto'
import { jsonBounds } from '@gatehouse/contracts'
import { jsonText } from '@gatehouse/kernel'
import * as v from 'valibot'
import { usageOfProcess } from '../cgroup/of-process.ts'
import type { Exit, LaunchSpec, Sandbox } from '../driver.ts'
import { launchProgram } from '../launch.ts'
import { type ContainerParts, runArguments } from './arguments.ts'
import { callEngine, clientEnvironment, type Engine, removeContainers } from './engine.ts'

const State = v.looseObject({ OOMKilled: v.optional(v.boolean(), false), ExitCode: v.number(), Pid: v.optional(v.number(), 0) })

const readState = async (engine: Engine, name: string): Promise<v.InferOutput<typeof State> | null> => {
  const { ok, stdout } = await callEngine(engine, ['container', 'inspect', '--format', '{{json .State}}', name])
  const parsed = ok ? v.safeParse(v.pipe(jsonText(jsonBounds.engineOutput), State), stdout) : undefined
  return parsed?.success === true ? parsed.output : null
}

/** Why it ended; the engine knows of a kill for memory only while the container is there. */
const settle = async (engine: Engine, name: string, exit: Exit): Promise<Exit> => {
  const state = await readState(engine, name)
  await removeContainers(engine, [name])
  return state?.OOMKilled === true ? { ...exit, reason: 'out-of-memory' } : exit
}

export interface LaunchParts extends Omit<ContainerParts, 'name'> {
  /** Says more of an exit than the engine does, and takes away what was made for this launch alone. */
  readonly after?: (exit: Exit) => Promise<Exit>
}

export const launchContainer = (engine: Engine, spec: LaunchSpec, { after, ...parts }: LaunchParts): Promise<Sandbox> => {
  const name = `gatehouse-${spec.id}-${randomBytes(3).toString('hex')}`
  return launchProgram(
    { file: engine.file, args: runArguments(engine, spec, { ...parts, name }), env: clientEnvironment, inheritEnvironment: true },
    {
      end: async () => {
        await removeContainers(engine, [name])
      },
      settle: async (exit) => {
        const settled = await settle(engine, name, exit)
        return (await after?.(settled)) ?? settled
      },
      usage: async () => usageOfProcess((await readState(engine, name))?.Pid ?? 0),
    },
  )
}
