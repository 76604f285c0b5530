// Whether a container engine works here, docker first, then podman and nerdctl: it answers, knows the runtime, and ran a trial container.
// Where every wall must stand, one that has them all comes before one that lacks some.
import { type ContainerEngine, containerEngines } from '@gatehouse/contracts'
import { findProgram } from '@gatehouse/kernel'
import type { ChooseOptions, Choice } from '../choice.ts'
import { layoutVersion } from '../rootfs/layout.ts'
import { sharedObjects } from '../rootfs/shared-objects.ts'
import { checkRelease } from '../release.ts'
import { tryLaunch } from '../trial.ts'
import { describeDocker, describeNerdctl, describePodman } from './describe.ts'
import { launchContainer } from './launch.ts'
import { openContainer } from './open.ts'
import type { Engine } from './engine.ts'
import { ensureImage } from './image.ts'

const describe = {
  docker: describeDocker,
  podman: describePodman,
  nerdctl: (file: string, runtime: string | null) => describeNerdctl({ file, global: [] }, runtime),
} as const

const install = {
  docker: 'apt-get install docker.io',
  podman: 'apt-get install podman',
  nerdctl: 'see https://github.com/containerd/nerdctl',
} as const

/** An image of one small program of the host. */
const trialImage = async (engine: Engine, program: string): Promise<string> => {
  const files = [program, ...(await sharedObjects(program))]
  return ensureImage(engine, {
    tag: `gatehouse-trial:${layoutVersion}`,
    directory: '/',
    entries: files.map((path) => path.slice(1)),
    followLinks: true,
  })
}

const tryOut = async (engine: Engine, unitId: string): Promise<string | null> => {
  const program = await findProgram('true')
  if (program === null) return 'no program `true` to try it with'
  const image = await trialImage(engine, program)
  return tryLaunch((spec) => launchContainer(engine, spec, { profile: null }), { rootfs: image, command: [program], unitId })
}

export const attemptEngine = async (
  name: ContainerEngine,
  options: Pick<ChooseOptions, 'runtime' | 'home' | 'unitId' | 'onEngine'>,
): Promise<Choice> => {
  const file = await findProgram(name)
  if (file === null) return { refused: `${name} not found: ${install[name]}` }
  const described = await describe[name](file, options.runtime)
  if ('refused' in described) return described
  const { engine } = described
  await options.onEngine?.(name)
  try {
    const fault = await tryOut(engine, options.unitId)
    if (fault !== null) return { refused: `a trial container by ${name} failed: ${fault}` }
  } catch (error) {
    return { refused: `a trial container by ${name} failed: ${error instanceof Error ? error.message : String(error)}` }
  }
  const old = await checkRelease(name, file)
  return { driver: await openContainer(engine, options), ...(old === null ? {} : { old }) }
}

export const detectContainer = async (options: ChooseOptions): Promise<Choice> => {
  const refusals: string[] = []
  let lacking: Choice | undefined
  for (const name of options.engine === null ? containerEngines : [options.engine]) {
    const choice = await attemptEngine(name, options)
    if ('refused' in choice) refusals.push(choice.refused)
    else if (options.mode === 'production' && choice.driver.missing.length > 0) lacking ??= choice
    else return choice
  }
  return lacking ?? { refused: refusals.join('; ') }
}
