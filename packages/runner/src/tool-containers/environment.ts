// Which variables a server in a container may be given: they pass through the engine's client, which some would steer.
import { steeringVariable } from '@gatehouse/engine'
import { ContainerRefused } from './refused.ts'

export const assertGivable = (env: Readonly<Record<string, string>>): void => {
  const name = steeringVariable(Object.keys(env))
  if (name === undefined) return
  throw new ContainerRefused(
    'variable',
    `the variable ${name} cannot be given to a server in a container, since it would steer the container engine's client: give it another name, or set it in the image`,
  )
}
