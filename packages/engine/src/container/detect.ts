// Detects a working container engine (docker, podman, nerdctl): it responds, has the runtime, and ran a trial container. Where all
// controls are required, an engine with all of them is preferred.
import { mkdir } from 'node:fs/promises'
import { type ContainerEngine, containerEngines } from '@gatehouse/contracts'
import { findProgram } from '@gatehouse/kernel'
import { detectGroups } from '../cgroup/group.ts'
import { checkRelease, type Choice, type ChooseOptions, tryLaunch } from '../choice.ts'
import type { Engine } from '../container-client/client.ts'
import { describeDocker, describeNerdctl, describePodman } from '../container-client/describe.ts'
import { ensureImage } from '../container-client/images.ts'
import type { Driver } from '../driver.ts'
import { layoutVersion, sharedObjects } from '../rootfs/layout.ts'
import { createContainer } from './driver.ts'
import { findPremount, launchContainer } from './launch.ts'

/** Podman sets mount flags itself; under gVisor the flags of the host's mounts have no effect. */
export const openContainer = async (engine: Engine, { home, unitId }: Pick<ChooseOptions, 'home' | 'unitId'>): Promise<Driver> => {
  const wanted = engine.name !== 'podman' && !engine.gvisor
  if (wanted) await mkdir(home, { recursive: true, mode: 0o700 })
  const hierarchy = engine.takesParent && engine.user === null ? await detectGroups(unitId) : null
  return createContainer({ engine, home, premount: wanted ? await findPremount() : null, hierarchy })
}

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

/** An image with one small program of the host. */
const trialImage = async (engine: Engine, program: string): Promise<string> => {
  const files = [program, ...(await sharedObjects([program]))]
  return ensureImage(engine, {
    tag: `gatehouse-trial:${layoutVersion}`,
    directory: '/',
    entries: files.map((path) => path.slice(1)),
    followLinks: true,
  })
}

const tryOut = async (engine: Engine, unitId: string): Promise<string | null> => {
  const program = await findProgram('true')
  if (program === null) return 'the program `true`, which the trial runs, was not found'
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
