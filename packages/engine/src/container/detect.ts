// Whether a container engine works here, docker first, then podman: it answers, knows the runtime, and ran a trial container.
import type { ChooseOptions, Choice } from '../choice.ts'
import { layoutVersion } from '../rootfs/layout.ts'
import { sharedObjects } from '../rootfs/shared-objects.ts'
import { findProgram } from '../programs.ts'
import { tryLaunch } from '../trial.ts'
import { describeDocker, describePodman } from './describe.ts'
import { createContainer, launchContainer } from './driver.ts'
import type { Engine } from './engine.ts'
import { ensureImage } from './image.ts'

const describe = { docker: describeDocker, podman: describePodman } as const

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

const attempt = async (name: keyof typeof describe, runtime: string | null): Promise<Choice> => {
  const file = await findProgram(name)
  if (file === null) return { refused: `${name} not found: apt-get install ${name === 'docker' ? 'docker.io' : 'podman'}` }
  const described = await describe[name](file, runtime)
  if ('refused' in described) return described
  const { engine } = described
  const program = await findProgram('true')
  if (program === null) return { refused: 'no program `true` to try it with' }
  try {
    const fault = await tryLaunch((spec) => launchContainer(engine, spec, null), await trialImage(engine, program), [program])
    return fault === null ? { driver: createContainer(engine) } : { refused: `a trial container by ${name} failed: ${fault}` }
  } catch (error) {
    return { refused: `a trial container by ${name} failed: ${error instanceof Error ? error.message : String(error)}` }
  }
}

export const detectContainer = async ({ runtime }: ChooseOptions): Promise<Choice> => {
  const docker = await attempt('docker', runtime)
  if ('driver' in docker) return docker
  const podman = await attempt('podman', runtime)
  return 'driver' in podman ? podman : { refused: `${docker.refused}; ${podman.refused}` }
}
